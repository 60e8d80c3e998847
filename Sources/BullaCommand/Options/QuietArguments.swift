internal import ArgumentParser

/// Whether long work shows how far it is.
struct QuietArguments: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show no progress and no summary.")
    var quiet = false
}
