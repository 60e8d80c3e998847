internal import ArgumentParser

/// How a command answers.
struct JSONArguments: ParsableArguments {
    @Flag(help: "Answer in JSON for programs; errors too, on standard error.")
    var json = false
}

/// Whether long work shows how far it is.
struct QuietArguments: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show no progress and no summary.")
    var quiet = false
}
