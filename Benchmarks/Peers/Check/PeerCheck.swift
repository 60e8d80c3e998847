internal import BullaBenchKit
internal import BullaText
internal import Foundation

/// Compares the speed that the harness measures for each engine with that of a bare program, which
/// uses the engine without the harness.
///
/// The two take turns at slices of the same work. They do so in many pairs of new processes,
/// because the times change by a few percent with the place where a process's memory happens to
/// lie. From one pair to the next they swap their stores; for loads, each pair has new stores. A
/// row is measured until the interval of its ratio lies wholly inside or wholly outside the
/// tolerance; a row still undecided after the last round is judged by its ratio.
///
/// All rows except loads run on one core. If the kernel chose the core, it would often run the
/// harness's thread on a different core from the bare program's, and one core can be some percent
/// slower than another. Loads need all cores, for the engines' own threads.
package struct PeerCheck {
    private static let tolerance = 0.05
    /// The workloads of the bare programs.
    private static let allWorkloads: [Workload] = [
        .load, .pointRead, .pointReadSnapshot, .batchedRead, .scan, .coldScan, .smallCommit,
        .smallCommitRelaxed,
    ]
    private static let roundLimit = 4
    /// A load gives only a single slice for each process, so it takes more rounds.
    private static let loadRoundLimit = 16
    /// Pairs of processes in a round.
    private static let pairCount = 8
    private static let loadPairCount = 6
    /// Slices that each side runs in a pair of processes.
    private static let sliceCount = 4
    private static let sliceNanoseconds = 100e6
    private static let openNanoseconds: UInt64 = 250_000_000
    private static let cacheByteLimit = 512 << 20

    private let scratch: Scratch
    /// All cores that this process may use.
    private let cores = Topology.current().cores
    private let source: Source
    private let contenders: [Contender]
    private let workloads: [Workload]
    private let programs: String
    private let seed: UInt64
    private let key: String
    /// Engines that are left out, each with the reason.
    private let skipped: [String]

    /// - Parameters:
    ///   - only: engines, separated by commas; all for nil.
    ///   - rows: workloads, separated by commas; all for nil. A load always comes first.
    ///   - programs: the folder of the peers' programs and of the bare programs.
    package init(
        directory: String, only: String?, rows: String?, programs: String?, recordCount: Int,
        seed: UInt64
    ) throws {
        scratch = try Scratch(under: Folder.absolute(directory), isKept: false)
        var options = RecordOptions()
        (options.count, options.fieldCount) = (recordCount, 1)
        source = try Source(
            name: "generated", YCSBRecords.table(options, seed: seed),
            to: scratch.file("records"), seed: seed)
        let lineup = try Peer.lineup(Peer.named(nil), programs: programs, workerCount: 1)
        let own = try Executable.path().split(separator: "/").dropLast()
        let folder = programs ?? own.reduce("") { "\($0)/\($1)" }
        workloads = try Self.workloads(named: rows)
        let wanted = only?.split(separator: ",").map(String.init)
        let asked = lineup.contenders.filter { wanted?.contains($0.name) ?? true }
        contenders = asked.filter { Executable.isThere(Self.bareProgram($0, in: folder)) }
        let missing = asked.filter { !Executable.isThere(Self.bareProgram($0, in: folder)) }
        skipped =
            lineup.skipped
            + missing.map { "\($0.name): there is no program \(Self.bareProgram($0, in: folder))" }
        self.programs = folder
        self.seed = seed
        key = try RunKey.random()
    }

    private static func workloads(named names: String?) throws -> [Workload] {
        guard let names else { return allWorkloads }
        let wanted = try names.split(separator: ",").map { name in
            guard let row = allWorkloads.first(where: { $0.rawValue == name }) else {
                let all = allWorkloads.map(\.rawValue).joined(separator: ", ")
                throw BenchError(.usage, "there is no row \(name); the rows are \(all)")
            }
            return row
        }
        // A load makes the stores that the other workloads use.
        return allWorkloads.filter { $0 == .load || wanted.contains($0) }
    }

    /// Reports each row as it is measured.
    ///
    /// - Returns: whether the harness and the bare programs agree in all rows except those whose
    ///   difference has a known cause.
    package func passes(_ tell: (String) -> Void) throws -> Bool {
        for reason in skipped { tell("left out: \(reason)") }
        tell(Self.line(["", "engine", "row", "harness/s", "bare/s", "ratio", "least", "greatest"]))
        let load = MachineLoad.now()
        var failedCount = 0
        for contender in contenders {
            for workload in workloads {
                try Interruption.shared.check()
                if try !passes(contender, workload, tell) { failedCount += 1 }
            }
            for side in Side.allCases { Folder.remove(folder(contender, side)) }
        }
        if let warning = MachineNoise(from: load, to: .now()).warning { tell(warning) }
        return failedCount == 0
    }

    /// Moves the calling thread to the cores for a workload; the programs that it starts stay
    /// there.
    ///
    /// A workload that gets only one core gets the last one, because the first often handles device
    /// interrupts.
    private func move(for workload: Workload) throws {
        let chosen = workload == .load ? cores : cores.suffix(1)
        _ = try ThreadPlacement(cores: chosen).apply()
    }

    private func passes(
        _ contender: Contender, _ workload: Workload, _ tell: (String) -> Void
    ) throws -> Bool {
        var pairs: [[PairedRate]] = []
        var operations: Int?
        var ratio: Interval?
        try move(for: workload)
        for _ in 0..<(workload == .load ? Self.loadRoundLimit : Self.roundLimit) {
            pairs +=
                try workload == .load
                ? loads(contender) : slices(contender, workload, &operations)
            ratio = Interval(rounds: pairs.map { $0.map(\.ratio) })
            if let ratio, Self.isInside(ratio) || Self.isOutside(ratio) { break }
        }
        return report(contender, workload, pairs.flatMap(\.self), ratio, tell)
    }

    private static func isInside(_ ratio: Interval) -> Bool {
        ratio.lower >= 1 - tolerance && ratio.upper <= 1 + tolerance
    }

    private static func isOutside(_ ratio: Interval) -> Bool {
        ratio.upper < 1 - tolerance || ratio.lower > 1 + tolerance
    }

    private func report(
        _ contender: Contender, _ workload: Workload, _ rates: [PairedRate], _ ratio: Interval?,
        _ tell: (String) -> Void
    ) -> Bool {
        // If the pairs differ too much to give an interval, the two sides do not agree.
        let agrees = ratio.map { abs($0.median - 1) <= Self.tolerance } ?? false
        let cause = KnownCause.of(contender.name, workload)
        let shown = [rates.map(\.harness), rates.map(\.bare)].map { Format.count($0.median ?? 0) }
        tell(
            Self.line(
                [agrees || cause != nil ? "passed" : "FAILED", contender.name, workload.rawValue]
                    + shown
                    + [ratio?.median, ratio?.lower, ratio?.upper].map { number in
                        number.map { Format.fixed($0, 3) } ?? "unknown"
                    }))
        if !agrees { tell("        " + (cause ?? "no cause is known")) }
        return agrees || cause != nil
    }

    private static func line(_ cells: [String]) -> String {
        zip(cells, [6, 15, 20]).map { Format.padRight($0, $1) }.joined(separator: "  ")
            + cells.dropFirst(3).map { Format.padLeft($0, 10) }.joined()
    }

    /// Loads new stores, each in a new process; keeps the last store of each side.
    private func loads(_ contender: Contender) throws -> [[PairedRate]] {
        let each = Workload.recordsPerCommit
        let commits = (source.recordCount + each - 1) / each
        return try paired(Self.loadPairCount) { side in
            let folder = folder(contender, side)
            Folder.remove(folder)
            try Folder.make(folder)
            let runner = try runner(contender, .load, side, in: folder)
            // Without this pause, the bare program would begin while its engine still opens the
            // store.
            Clock.sleep(until: Clock.now + Self.openNanoseconds)
            let slice = try runner.run(operations: commits)
            try runner.close()
            return slice
        }.map { [$0] }
    }

    /// The rates of each pair of processes.
    private func slices(
        _ contender: Contender, _ workload: Workload, _ operations: inout Int?
    ) throws -> [[PairedRate]] {
        var pairs: [[PairedRate]] = []
        for number in 0..<Self.pairCount {
            let runners = try Side.allCases.map { side in
                let owner = number % 2 == 0 ? side : side.other
                return try runner(contender, workload, side, in: folder(contender, owner))
            }
            let count = try operations ?? calibrated(workload, runners)
            operations = count
            for runner in runners { _ = try runner.run(operations: count) }
            pairs.append(
                try paired(Self.sliceCount) { try runners[$0.rawValue].run(operations: count) })
            for runner in runners { try runner.close() }
        }
        return pairs
    }

    /// The number of operations that fill a slice of the bare program.
    private func calibrated(_ workload: Workload, _ runners: [any PeerRunner]) throws -> Int {
        guard workload != .coldScan else { return 1 }
        var operations = workload.pilotOperations
        while true {
            let slice = try runners.map { try $0.run(operations: operations) }[1]
            let wanted = Self.sliceNanoseconds / slice.nanoseconds
            guard wanted > 8 else { return max(Int(Double(operations) * wanted), 1) }
            operations *= 8
        }
    }

    /// The rates of the harness and of the bare program, which take turns at running first.
    private func paired(
        _ count: Int, _ body: (Side) throws -> PeerSlice
    ) rethrows -> [PairedRate] {
        try (0..<count).map { number in
            guard number % 2 == 0 else {
                let bare = try body(.bare)
                return PairedRate(harness: try body(.harness).rate, bare: bare.rate)
            }
            return PairedRate(harness: try body(.harness).rate, bare: try body(.bare).rate)
        }
    }

    private func runner(
        _ contender: Contender, _ workload: Workload, _ side: Side, in folder: String
    ) throws -> any PeerRunner {
        guard side == .harness else { return try bare(contender, workload, folder) }
        return try harness(contender, workload, folder)
    }

    private func harness(
        _ contender: Contender, _ workload: Workload, _ folder: String
    ) throws -> HarnessRunner {
        var plan = WorkloadPlan(workload, lane: 0, laneCount: 1, seed: seed)
        plan.readsPerSnapshot = 10_000
        let crew = try Crew(
            contender, plan, on: source, in: folder, key: contender.isEncrypted ? key : nil,
            cacheByteLimit: Self.cacheByteLimit, barrierPath: scratch.file("barrier"))
        if workload != .load, workload != .coldScan { try crew.warm() }
        return HarnessRunner(crew: crew, isCold: workload == .coldScan)
    }

    private func bare(
        _ contender: Contender, _ workload: Workload, _ folder: String
    ) throws -> BareProcess {
        try BareProcess(
            Self.bareProgram(contender, in: programs),
            [workload.rawValue, source.path, folder, "\(Self.cacheByteLimit)", "\(seed)"],
            key: contender.isEncrypted ? key : nil)
    }

    private func folder(_ contender: Contender, _ side: Side) -> String {
        scratch.file("\(contender.name)-\(side)")
    }

    /// The path of a contender's bare program; `berkeley-aes` runs that of `berkeley`, with a key,
    /// and so on.
    private static func bareProgram(_ contender: Contender, in folder: String) -> String {
        "\(folder)/bulla-bare-\(contender.name.split(separator: "-")[0])"
    }
}

/// The known cause of a difference between the harness and some bare programs in one row.
private struct KnownCause {
    let engines: [String]
    let workload: Workload
    let text: String

    static let all = [
        // If the C library gives no memory back to the kernel, the harness and the bare program are
        // equally fast.
        KnownCause(
            engines: ["berkeley", "berkeley-aes"], workload: .coldScan,
            text: "the harness's process still has the memory of the store that it closed before; "
                + "the bare one gave it back, and pays for touching it first"),
        // If the harness, like the bare program, lets an idle store make checkpoints, the ratio is
        // 1.04 instead of 1.10.
        KnownCause(
            engines: ["bulla", "bulla-encrypted"], workload: .load,
            text: "the harness switches off checkpoints of an idle store, which would disturb the "
                + "engine that is measured next; the bare program has no such option"),
    ]

    static func of(_ engine: String, _ workload: Workload) -> String? {
        all.first { $0.workload == workload && $0.engines.contains(engine) }?.text
    }
}

private enum Side: Int, CaseIterable {
    case harness, bare
    var other: Side { self == .harness ? .bare : .harness }
}

/// Operations per second.
private struct PairedRate {
    let harness: Double
    let bare: Double
    var ratio: Double { harness / bare }
}

private struct PeerSlice: Decodable {
    let work: Int
    let nanoseconds: Double
    var rate: Double { Double(work) * 1e9 / nanoseconds }

    enum CodingKeys: String, CodingKey {
        case work = "operations"
        case nanoseconds
    }
}

private protocol PeerRunner {
    func run(operations: Int) throws -> PeerSlice
    func close() throws
}

private struct HarnessRunner: PeerRunner {
    let crew: Crew
    let isCold: Bool

    func run(operations: Int) throws -> PeerSlice {
        if isCold { try crew.reopen {} }
        let slice = try crew.runSlice(operations: operations)
        return PeerSlice(work: slice.work, nanoseconds: slice.nanoseconds)
    }

    func close() throws { try crew.close() }
}

/// A bare program: each line of its input asks for a slice, each line of its output reports one.
private final class BareProcess: PeerRunner {
    private let process: AskedProcess
    private var sliceCount = 0

    init(_ program: String, _ arguments: [String], key: String?) throws {
        process = try AskedProcess(program, arguments, key: key)
    }

    func run(operations: Int) throws -> PeerSlice {
        defer { sliceCount += 1 }
        return try process.ask("\(sliceCount) \(operations)")
    }

    func close() throws { try process.close() }
}
