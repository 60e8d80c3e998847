/// A whole run: reads the inputs, measures in passes, and tells what it found.
///
/// A pass gives each cell one round more. The run ends after the last pass that its time allows, or
/// after as many as were asked for, and never because of what the figures say: an interval that
/// decides when to stop claims more than it knows.
package final class OverheadRun {
    private let options: OverheadOptions
    private let progress: Progress
    private let machine: Machine
    private let load = MachineLoad.now()
    private let start = Clock.now

    package init(_ options: OverheadOptions, _ progress: Progress) throws {
        try options.check()
        var options = options
        options.directory = try Folder.absolute(options.directory)
        self.options = options
        self.progress = progress
        machine = Machine(directory: options.directory)
    }

    package func run() throws -> OverheadResult {
        let scratch = try Scratch(under: options.directory, isKept: options.isKept)
        defer { progress.clear() }
        let sources = try sources(scratch)
        let runner = try RoundRunner(options, scratch)
        let cells = sources.flatMap { source in options.workloads.map { Cell($0, source) } }
        for source in sources { try runBase(source, cells, runner) }
        try runPasses(cells, runner)
        return result(sources, cells)
    }

    /// The records of all inputs, written where workers can map them.
    private func sources(_ scratch: Scratch) throws -> [Source] {
        var sources: [Source] = []
        if options.recordCount > 0 {
            progress.step("making \(options.recordCount) records")
            let table = YCSBRecords.table(
                count: options.recordCount, valueByteCount: options.valueByteCount,
                seed: options.seed)
            sources.append(try source("ycsb", table, scratch))
        }
        try Interruption.shared.check()
        if let input = options.input {
            progress.step("reading \(input.path)")
            sources.append(try source(input.label, try input.table(), scratch))
        }
        try Interruption.shared.check()
        return sources
    }

    private func source(_ name: String, _ table: RecordTable, _ scratch: Scratch) throws -> Source {
        guard table.count >= 2 * options.laneCount else {
            throw BenchError(.input, "\(name) has \(table.count) records: too few for the threads")
        }
        return try Source(name: name, table, to: scratch.file(name), seed: options.seed)
    }

    /// Loads a source's base stores.
    ///
    /// That is a round of bulk loading, and counts as the first where bulk loading is asked for.
    private func runBase(_ source: Source, _ cells: [Cell], _ runner: RoundRunner) throws {
        progress.round("\(source.name): loading both stores", share: share)
        let round = try runner.runBase(source, number: 0)
        for cell in cells where cell.source.path == source.path && cell.workload == .bulkLoad {
            cell.add(round)
        }
    }

    private func runPasses(_ cells: [Cell], _ runner: RoundRunner) throws {
        for pass in 0..<options.roundLimit {
            let passStart = Clock.now
            for cell in cells where cell.rounds.count <= pass {
                let share = max(share, Double(pass) / Double(options.roundLimit))
                progress.round(
                    "pass \(pass + 1): \(cell.source.name) \(cell.workload.rawValue)", share: share)
                cell.add(try runner.run(cell, number: pass))
            }
            progress.pass(pass + 1, OverheadText.draft(cells.compactMap { $0.row(options) }))
            guard
                seconds(since: start) + 1.05 * seconds(since: passStart)
                    < Double(options.secondLimit)
            else { return }
        }
    }

    private func result(_ sources: [Source], _ cells: [Cell]) -> OverheadResult {
        let rows = cells.compactMap { $0.row(options) }
        return OverheadResult(
            settings: .init(options), machine: machine,
            noise: MachineNoise(from: load, to: .now()), seconds: seconds(since: start),
            inputs: sources.map(OverheadResult.Input.init), rows: rows,
            verdict: Verdict(all: rows.map(\.verdict)))
    }

    private var share: Double { seconds(since: start) / Double(options.secondLimit) }

    private func seconds(since instant: UInt64) -> Double { Double(Clock.now - instant) / 1e9 }
}
