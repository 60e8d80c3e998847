internal import BullaText

/// A whole run: reads the inputs, measures in passes, and reports the result.
///
/// A pass gives each row one more round. If the options ask for a precision, a row ends when its
/// intervals are narrow enough (``StoppingRule``). The run ends when all rows have ended, when it
/// has made as many passes as the options allow, or when there is no time for another pass.
package final class ComparisonRun {
    private let command: String
    private let options: ComparisonOptions
    private let lineup: Lineup
    private let progress: Progress
    private let machine: Machine
    private let load = MachineLoad.now()
    private let start = Clock.now
    private var sources: [Source] = []
    private var cells: [Cell] = []
    private var skipped: [String]

    package init(
        _ command: String, _ options: ComparisonOptions, _ lineup: Lineup, _ progress: Progress
    ) throws {
        try options.check()
        var options = options
        options.directory = try Folder.absolute(options.directory)
        (self.command, self.options, self.lineup) = (command, options, lineup)
        skipped = lineup.skipped
        self.progress = progress
        machine = Machine(directory: options.directory)
    }

    /// Runs the whole measurement.
    ///
    /// - Returns: the result, and the error if one ended the run early. In that case, the result
    ///   contains the text of the error, and the rounds that were finished before it.
    /// - Throws: the error, if it ended the run before any round was finished.
    package func run() throws -> (result: BenchResult, error: BenchError?) {
        let scratch = try Scratch(under: options.directory, isKept: options.isKept)
        defer { progress.clear() }
        do {
            try measure(scratch)
        } catch let error as BenchError {
            // After Ctrl-C, the error may just report a worker that this process itself killed.
            let error =
                Interruption.shared.hasCome ? BenchError(.interrupted, "interrupted") : error
            guard cells.contains(where: { !$0.rounds.isEmpty }) else { throw error }
            return (result(failure: error), error)
        }
        return (result(failure: nil), nil)
    }

    private func measure(_ scratch: Scratch) throws {
        // What this machine cannot do should be reported before the work, not after it.
        let runner = try RoundRunner(options, lineup, scratch)
        let regimes = Regimes(options.temperatures, scratch)
        skipped += regimes.skipped
        try check(regimes)
        try readSources(scratch)
        cells = sources.flatMap { source in
            let temperatures = regimes.available(for: source, options)
            return options.workloads.flatMap { workload in
                workload.temperatures(temperatures).map {
                    Cell(workload, source, $0, lineup, options)
                }
            }
        }
        skipped += sources.compactMap { regimes.reasonNotMemoryBound($0, options) }
        for source in sources { try runBase(source, runner) }
        try runPasses(runner)
    }

    private func check(_ regimes: Regimes) throws {
        let isSomeLeft = options.workloads.contains { workload in
            !workload.temperatures(regimes.available).isEmpty
        }
        guard isSomeLeft else {
            throw BenchError(
                .usage, "nothing is left to measure: " + regimes.skipped.joined(separator: "; "))
        }
    }

    /// Writes the records of all inputs to files that the workers can map.
    ///
    /// Reads the user's files before it generates records, so that an invalid file ends the run
    /// early. The generated records still become the first source.
    private func readSources(_ scratch: Scratch) throws {
        if options.workloads.contains(.replay), let path = options.tracePath {
            progress.step("reading \(path)")
            _ = try TraceFile.lines(of: Descriptor.open(path))
        }
        if let input = options.input {
            progress.step("reading \(input.path)")
            sources.append(try source(input.label, try input.table(), scratch))
        }
        try Interruption.shared.check()
        if options.records.count > 0 {
            progress.step("making \(options.records.count) records")
            let table = YCSBRecords.table(options.records, seed: options.seed)
            sources.insert(try source("ycsb", table, scratch), at: 0)
        }
        try Interruption.shared.check()
    }

    private func source(_ name: String, _ table: RecordTable, _ scratch: Scratch) throws -> Source {
        let source = try Source(
            name: name, table, options.shard, to: scratch.file(name), seed: options.seed)
        guard source.recordCount >= 2 * options.laneCount else {
            throw BenchError(
                .input, "\(name) has \(source.recordCount) records: too few for the threads")
        }
        return source
    }

    /// Loads a source's base stores; if the workload `load` is run, this is its first round.
    private func runBase(_ source: Source, _ runner: RoundRunner) throws {
        progress.round("\(source.name): loading the stores", share: share)
        let round = try runner.runBase(source)
        for cell in cells where cell.source.path == source.path && cell.workload == .load {
            cell.add(round)
        }
    }

    private func runPasses(_ runner: RoundRunner) throws {
        for pass in 0..<options.roundLimit {
            let passStart = Clock.now
            for cell in cells where cell.rounds.count <= pass && !cell.hasEnded {
                let share = max(share, Double(pass) / Double(options.roundLimit))
                progress.round(
                    "pass \(pass + 1): \(cell.source.name) \(cell.workload.rawValue)", share: share)
                cell.add(try runner.run(cell, number: pass))
            }
            progress.pass(pass + 1, ResultText.draft(rows))
            guard !cells.allSatisfy(\.hasEnded),
                seconds(since: start) + 1.05 * seconds(since: passStart)
                    < Double(options.secondLimit)
            else { return }
        }
    }

    private var rows: [ResultRow] { cells.compactMap { $0.row(lineup, options) } }

    private func result(failure: BenchError?) -> BenchResult {
        for cell in cells { cell.end() }
        return BenchResult(
            command: command, identity: identity, settings: RunSettings(options), machine: machine,
            noise: MachineNoise(from: load, to: .now()), seconds: seconds(since: start),
            inputs: sources.map(ResultInput.init), contenders: facts, places: places,
            skipped: skipped, rows: rows, failure: failure?.message)
    }

    private var identity: RunIdentity {
        let host = SystemText.linux.word("/proc/sys/kernel/hostname") ?? "unknown"
        let name = options.runName ?? "\(host) \(machine.time)"
        return RunIdentity(run: name, host: host, shard: options.shard)
    }

    private var facts: [ContenderFacts] {
        let facts = cells.lazy.compactMap { $0.rounds.first?.facts }.first
        return zip(lineup.contenders, facts ?? []).map { contender, facts in
            ContenderFacts(
                name: contender.name, engine: facts.engine, configuration: facts.configuration,
                isEncrypted: facts.isEncrypted)
        }
    }

    private var places: [String] {
        guard options.placement != Placement() else { return [] }
        let workers = cells.lazy.compactMap { $0.rounds.first?.places }.first ?? []
        return workers.enumerated().flatMap { worker, threads in
            threads.enumerated().map { thread, place in
                "worker \(worker + 1), thread \(thread + 1): \(place)"
            }
        }
    }

    private var share: Double { seconds(since: start) / Double(options.secondLimit) }
    private func seconds(since instant: UInt64) -> Double { Double(Clock.now - instant) / 1e9 }
}
