internal import BullaBenchKit
internal import BullaText
internal import Foundation

/// Whether the harness tells of each engine what a bare program tells, which has no harness in it.
///
/// Both do slices of the same work in turn, each in a store of its own. Where the pages of a store
/// lie in memory makes some percent; so they exchange their stores, each time in new processes. A
/// row that differs is measured again, up to four times in all, and judged by all that was seen.
package struct PeerCheck {
    private static let tolerance = 0.05
    private static let workloads: [Workload] = [
        .load, .pointRead, .pointReadSnapshot, .batchedRead, .scan, .coldScan, .smallCommit,
        .smallCommitRelaxed,
    ]
    /// Groups of slices: the harness, the bare program, the bare program, the harness.
    private static let groupCount = 5
    private static let loadGroupCount = 3
    private static let pairCount = 4
    /// A row that differs is measured again, so often: a neighbour's noise goes, a cause stays.
    private static let roundLimit = 4
    private static let sliceNanoseconds = 50e6
    private static let cacheByteLimit = 512 << 20

    private let scratch: Scratch
    private let source: Source
    private let contenders: [Contender]
    private let programs: String
    private let seed: UInt64
    private let key: String
    /// Engines that are not there, each with the reason.
    private let skipped: [String]

    /// - Parameters:
    ///   - only: engines, with commas between them; all for nil.
    ///   - programs: the folder of the peers' programs and of the bare ones.
    package init(
        directory: String, only: String?, programs: String?, recordCount: Int, seed: UInt64
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

    /// Tells each row as it comes.
    ///
    /// - Returns: whether the two agree in all rows but those with a known cause.
    package func passes(_ tell: (String) -> Void) throws -> Bool {
        for reason in skipped { tell("left out: \(reason)") }
        tell(Self.line(["", "engine", "row", "harness/s", "bare/s", "ratio"]))
        let load = MachineLoad.now()
        var failedCount = 0
        for contender in contenders {
            for workload in Self.workloads {
                try Interruption.shared.check()
                if try !passes(contender, workload, tell) { failedCount += 1 }
            }
            for side in Side.allCases { Folder.remove(folder(contender, side)) }
        }
        if let warning = MachineNoise(from: load, to: .now()).warning { tell(warning) }
        return failedCount == 0
    }

    private func passes(
        _ contender: Contender, _ workload: Workload, _ tell: (String) -> Void
    ) throws -> Bool {
        var (rates, ratio) = ([[Double]](), 0.0)
        var ratios: [Double] = []
        for _ in 0..<Self.roundLimit {
            let pairs = try workload == .load ? [loads(contender)] : slices(contender, workload)
            for pair in pairs {
                let found = pair.map { $0.map { Double($0.work) * 1e9 / $0.nanoseconds } }
                rates += found
                if let median = found.map({ $0[0] / $0[1] }).median { ratios.append(median) }
            }
            ratio = ratios.reduce(0, +) / Double(ratios.count)
            if abs(ratio - 1) <= Self.tolerance { break }
        }
        return report(contender, workload, rates, ratio, tell)
    }

    private func report(
        _ contender: Contender, _ workload: Workload, _ rates: [[Double]], _ ratio: Double,
        _ tell: (String) -> Void
    ) -> Bool {
        let agrees = abs(ratio - 1) <= Self.tolerance
        let cause = KnownCause.of(contender.name, workload)
        let shown = [0, 1].map { side in Format.count(rates.map { $0[side] }.median ?? 0) }
        tell(
            Self.line(
                [agrees || cause != nil ? "passed" : "FAILED", contender.name, workload.rawValue]
                    + shown + [Format.fixed(ratio, 3)]))
        if !agrees { tell("        " + (cause ?? "no cause is known")) }
        return agrees || cause != nil
    }

    private static func line(_ cells: [String]) -> String {
        zip(cells, [6, 15, 20]).map { Format.padRight($0, $1) }.joined(separator: "  ")
            + cells.dropFirst(3).map { Format.padLeft($0, 12) }.joined()
    }

    /// Loads, each by new processes into new stores, of which the last ones stay.
    private func loads(_ contender: Contender) throws -> [[PeerSlice]] {
        let each = Workload.recordsPerCommit
        let commits = (source.recordCount + each - 1) / each
        return try groups(Self.loadGroupCount) { side in
            let folder = folder(contender, side)
            Folder.remove(folder)
            try Folder.make(folder)
            let runner = try runner(contender, .load, side, in: folder)
            let slice = try runner.run(operations: commits)
            try runner.close()
            return slice
        }
    }

    /// The groups of each pair of processes.
    private func slices(_ contender: Contender, _ workload: Workload) throws -> [[[PeerSlice]]] {
        var operations: Int?
        return try (0..<Self.pairCount).map { number in
            let runners = try Side.allCases.map { side in
                let owner = number % 2 == 0 ? side : side.other
                return try runner(contender, workload, side, in: folder(contender, owner))
            }
            let count = try operations ?? calibrated(workload, runners)
            operations = count
            for runner in runners { _ = try runner.run(operations: count) }
            let groups = try groups(Self.groupCount) {
                try runners[$0.rawValue].run(operations: count)
            }
            for runner in runners { try runner.close() }
            return groups
        }
    }

    /// The operations that fill a slice of the bare program.
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

    /// What the harness and the bare program did, in each group; every other group begins with the
    /// other one.
    private func groups(
        _ count: Int, _ body: (Side) throws -> PeerSlice
    ) rethrows -> [[PeerSlice]] {
        try (0..<count).map { number in
            var sums = [PeerSlice(work: 0, nanoseconds: 0), PeerSlice(work: 0, nanoseconds: 0)]
            let order: [Side] = [.harness, .bare, .bare, .harness]
            for side in number % 2 == 0 ? order : order.map(\.other) {
                sums[side.rawValue].add(try body(side))
            }
            return sums
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

    /// `berkeley-aes` is `berkeley` with a key, and so on.
    private static func bareProgram(_ contender: Contender, in folder: String) -> String {
        "\(folder)/bulla-bare-\(contender.name.split(separator: "-")[0])"
    }
}

/// Why the harness and a bare program differ in a row.
private struct KnownCause {
    let engines: [String]
    let workload: Workload
    let text: String

    static let all = [
        // Seen with the C library told to give nothing back: the bare program is as quick then.
        KnownCause(
            engines: ["berkeley", "berkeley-aes"], workload: .coldScan,
            text: "the harness's process still has the memory of the store that it closed before; "
                + "the bare one gave it back, and pays for touching it first")
    ]

    static func of(_ engine: String, _ workload: Workload) -> String? {
        all.first { $0.workload == workload && $0.engines.contains(engine) }?.text
    }
}

private enum Side: Int, CaseIterable {
    case harness, bare
    var other: Side { self == .harness ? .bare : .harness }
}

private struct PeerSlice: Decodable {
    var work: Int
    var nanoseconds: Double

    mutating func add(_ other: PeerSlice) {
        work += other.work
        nanoseconds += other.nanoseconds
    }

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

/// A bare program: a line of its input asks for a slice, a line of its output tells how it went.
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
