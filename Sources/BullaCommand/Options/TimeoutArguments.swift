internal import ArgumentParser

/// How long the command waits for others.
struct TimeoutArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait for another process, and for a pipe to begin, in seconds.",
            valueName: "seconds"))
    var timeout: Double = 30

    func validate() throws {
        guard timeout >= 0, timeout <= 1e6 else {
            throw ValidationError("--timeout is \(timeout), expected 0 to 1000000 seconds")
        }
    }

    var duration: Duration { .seconds(timeout) }
}
