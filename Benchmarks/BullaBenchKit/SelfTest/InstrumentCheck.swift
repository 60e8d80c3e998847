internal import BullaText

/// Checks the whole instrument on stores whose behaviour is made up, and so known.
package struct InstrumentCheck {
    /// How long a read of a made-up store takes: far longer than the real store behind it needs.
    private static let readNanoseconds: UInt64 = 20_000
    private static let injectedShare = 0.10
    /// A check ends once its interval is this narrow, which takes more rounds on a noisy machine.
    private static let precision = 0.02
    private static let roundLimit = 40

    private let directory: String
    private let seed: UInt64

    package init(directory: String, seed: UInt64) {
        (self.directory, self.seed) = (directory, seed)
    }

    /// Runs each check by itself; a check that cannot run counts as failed.
    package func findings(_ progress: (String) -> Void) -> [SelfTestFinding] {
        [
            finding("a delay of 10 % is measured as 10 %", progress, injectedDelay),
            finding("two stores that are the same are not called different", progress, noDelay),
            finding(
                "a stall shows in the corrected p99.9 of an open loop, and not in p50", progress,
                injectedStall),
            finding("a store that loses a record is found out", progress, lostRecord),
        ]
    }

    private func finding(
        _ name: String, _ progress: (String) -> Void,
        _ check: () throws -> (isPassed: Bool, text: String)
    ) -> SelfTestFinding {
        progress(name)
        do {
            let (isPassed, text) = try check()
            return SelfTestFinding(name: name, isPassed: isPassed, text: text)
        } catch {
            return SelfTestFinding(name: name, isPassed: false, text: "\(error)")
        }
    }

    private func injectedDelay() throws -> (Bool, String) {
        var slower = reading
        slower.readNanoseconds += UInt64(Double(Self.readNanoseconds) * Self.injectedShare)
        let ratio = try ratio(of: slower)
        let isRight = Self.agrees(ratio, with: 1 + Self.injectedShare) && ratio.lower > 1
        return (isRight, "measured \(Self.text(ratio)), injected \(1 + Self.injectedShare)")
    }

    private func noDelay() throws -> (Bool, String) {
        let ratio = try ratio(of: reading)
        return (Self.agrees(ratio, with: 1), "measured \(Self.text(ratio)), the same store twice")
    }

    /// Whether a ratio agrees with the true one.
    ///
    /// The interval of a correct instrument misses the truth once in twenty times, so with two such
    /// checks one run in ten would fail by chance. Widening the interval by half its width at each
    /// end makes that about one run in five thousand.
    private static func agrees(_ ratio: Interval, with truth: Double) -> Bool {
        let margin = (ratio.upper - ratio.lower) / 2
        return ratio.lower - margin <= truth && truth <= ratio.upper + margin
    }

    private func injectedStall() throws -> (Bool, String) {
        var stalling = reading
        (stalling.readsPerStall, stalling.stallNanoseconds) = (1_500, 50_000_000)
        var options = options([.pointReadSnapshot])
        (options.rate, options.roundLimit) = (2_000, 1)
        let row = try row(options, [stalling])
        let figures = row.figures[0]
        let (p50, p999) = (figures.percentile(50), figures.percentile(99.9))
        // One of 1 500 steps stalls, and delays the 100 steps that become due meanwhile.
        let isRight = p999 >= 25_000_000 && p50 < 5_000_000 && p999 > 10 * p50
        return (isRight, "p50 \(Format.time(Double(p50))), p99.9 \(Format.time(Double(p999)))")
    }

    private func lostRecord() throws -> (Bool, String) {
        var losing = ModelBehaviour()
        losing.losesRecord = true
        do {
            _ = try row(options([.load]), [losing])
            return (false, "the loss was not seen")
        } catch let error as BenchError where error.exit == .digest {
            return (true, error.message)
        }
    }

    private var reading: ModelBehaviour {
        var behaviour = ModelBehaviour()
        behaviour.readNanoseconds = Self.readNanoseconds
        return behaviour
    }

    private func ratio(of other: ModelBehaviour) throws -> Interval {
        let row = try row(options([.pointReadSnapshot]), [reading, other])
        guard let ratio = row.comparisons.first?.ratio else {
            throw BenchError(.digest, "no ratio was measured")
        }
        return ratio
    }

    private func row(
        _ options: ComparisonOptions, _ behaviours: [ModelBehaviour]
    ) throws -> ResultRow {
        let program = try Executable.path()
        let contenders = behaviours.enumerated().map { index, behaviour in
            Contender(
                name: "model-\(index + 1)", program: program, isEncrypted: false, model: behaviour)
        }
        let pairings = behaviours.count > 1 ? [Lineup.Pairing(1, over: 0)] : []
        let run = try ComparisonRun(
            "selftest", options, Lineup(contenders, pairings), Progress(isSilent: true))
        let (result, error) = try run.run()
        if let error { throw error }
        guard let row = result.rows.first else { throw BenchError(.digest, "nothing was measured") }
        return row
    }

    private func options(_ workloads: [Workload]) -> ComparisonOptions {
        var options = ComparisonOptions()
        (options.records.count, options.records.fieldCount) = (1_000, 1)
        (options.workloads, options.roundLimit) = (workloads, Self.roundLimit)
        (options.precision, options.secondLimit) = (Self.precision, 60)
        (options.directory, options.seed) = (directory, seed)
        return options
    }

    private static func text(_ ratio: Interval) -> String {
        [ratio.median, ratio.lower, ratio.upper].map { Format.fixed($0, 4) }
            .joined(separator: ", ") + " (median, interval)"
    }
}
