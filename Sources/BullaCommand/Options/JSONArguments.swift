internal import ArgumentParser

/// How a command answers.
struct JSONArguments: ParsableArguments {
    @Flag(help: "Answer in JSON for programs; errors too, on standard error.")
    var json = false
}
