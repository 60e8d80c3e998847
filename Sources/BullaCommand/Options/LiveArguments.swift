internal import ArgumentParser
internal import Bulla
internal import BullaText

/// Whether and how a running store is watched.
struct LiveArguments: ParsableArguments {
    private static let interval: Duration = .seconds(1)

    @Flag(help: "Show the running store, sample by sample, until an interrupt.")
    var live = false

    @Option(
        help: ArgumentHelp(
            "How long to wait between samples, such as 500ms, 10s or 1m (default: 1s).",
            valueName: "time"))
    var every: TimeSpan?

    @Option(help: ArgumentHelp("End after this many samples.", valueName: "number"))
    var count: UInt64?

    func validate() throws {
        guard live || (every == nil && count == nil) else {
            throw ValidationError("--every and --count need --live")
        }
        guard count != 0 else { throw ValidationError("--count is 0, expected 1 or more") }
    }

    /// Shows samples of a store, until there are `count` of them or a signal asks to stop.
    func show(_ opened: Store, isJSON: Bool) throws {
        Signals.catchInterrupts()
        var view = LiveView(isJSON: isJSON)
        var former: StoreSample?
        var next = ContinuousClock.now
        for number in 1... {
            let sample = try StoreSample(opened, after: former)
            try view.show(sample)
            former = sample
            guard UInt64(number) < count ?? .max else { return }
            // If a sample takes longer than the interval, the samples that became due meanwhile are
            // skipped.
            next = max(next + (every?.duration ?? Self.interval), .now)
            try Signals.sleep(until: next)
        }
    }
}
