internal import BullaBenchKit
internal import BullaObjectPeer
internal import BullaPeerCheck

/// A program's answer: numbers by name.
typealias ObjectAnswer = [String: [Int]]

/// The samples of each member in one round.
struct ObjectRound {
    /// By kind of work, then by member: nanoseconds per unit, one number for each group of slices.
    var times: [[[Double]]] = []
    /// By kind of work, then by member: nanoseconds per unit, including the time until no deferred
    /// work was left, one number for the round; empty for work that only reads.
    var settledTimes: [[[Double]]] = []
    /// The time from the beginning of each change until another process saw it, by member.
    var delays: [[Double]] = []
    /// The processor time used during one second in which nothing changed, by member.
    var idleTimes: [[Double]] = []
}

/// Runs rounds: each member has a process of its own, and a copy of its loaded store.
final class ObjectStage {
    private static let touchCount = 50
    /// The suffixes of files that must not be copied, because processes share memory through them.
    private static let transient = [".bulla-world", "-shm"]

    private let run: ObjectRun
    private let lineup: ObjectLineup
    private let works: [ObjectWork]
    private let scratch: Scratch
    private let key: String
    private let order: Lineup
    private var plans: [ObjectWork: SlicePlan] = [:]
    private var nextSlice = 0

    init(
        _ run: ObjectRun, _ lineup: ObjectLineup, _ works: [ObjectWork], _ scratch: Scratch
    ) throws {
        (self.run, self.lineup, self.works, self.scratch) = (run, lineup, works, scratch)
        key = try RunKey.random()
        let contenders = lineup.members.map {
            Contender(name: $0.name, program: $0.program, isEncrypted: $0.isEncrypted)
        }
        order = Lineup(contenders, [])
    }

    /// Loads the stores that the rounds copy.
    func load() throws {
        var digests: [ObjectAnswer] = []
        for member in lineup.members where member.baseName == nil {
            try Interruption.shared.check()
            try Folder.make(base(member))
            let process = try start(member, in: base(member))
            let _: ObjectAnswer = try process.ask("load")
            digests.append(try process.ask("digest"))
            try process.close()
        }
        try check(digests, "after loading")
    }

    func round(_ number: Int) throws -> ObjectRound {
        let folders = try lineup.members.indices.map { member in
            let folder = scratch.file("run-\(member)")
            Folder.remove(folder)
            try Folder.make(folder)
            try Folder.copy(base(lineup.members[member]), to: folder) { name in
                !Self.transient.contains { name.hasSuffix($0) }
            }
            return folder
        }
        defer { for folder in folders { Folder.remove(folder) } }
        let processes = try zip(lineup.members, folders).map { try start($0, in: $1) }
        // Everything is read once, so that the measurement that follows finds it cached.
        for order in ["digest", "warm"] {
            try check(processes.map { try $0.ask(order) }, "before round \(number + 1)")
        }
        var round = ObjectRound()
        for work in works { try measure(work, processes, number, &round) }
        try check(processes.map { try $0.ask("digest") }, "after round \(number + 1)")
        for (place, member) in lineup.members.enumerated() {
            let isWatching = member.isWatching
            let watched = isWatching ? try watch(member, processes[place], folders[place]) : nil
            round.delays.append(watched?.delays ?? [])
            round.idleTimes.append(watched.map { [$0.idle] } ?? [])
        }
        for process in processes { try process.close() }
        return round
    }

    private func start(_ member: ObjectLineup.Member, in folder: String) throws -> AskedProcess {
        try AskedProcess(
            member.program,
            member.arguments + [folder, "\(run.objectCount)", "\(run.cacheByteCount)"],
            key: member.isEncrypted ? key : nil)
    }

    private func base(_ member: ObjectLineup.Member) -> String {
        let owner = lineup.place(member.baseName ?? member.name) ?? 0
        return scratch.file("base-\(owner)")
    }

    /// Checks that all members have answered with the same digest.
    private func check(_ answers: [ObjectAnswer], _ when: String) throws {
        let found = answers.map { [$0["count"], $0["sum"]] }
        guard found.allSatisfy({ $0 == found[0] }) else {
            throw BenchError(.digest, "stores differ \(when): \(answers)")
        }
    }
}

/// Runs slices (see ``ObjectWork``).
extension ObjectStage {
    /// Runs the slices of one kind of work; each group takes the members in the order A B C C B A.
    private func measure(
        _ work: ObjectWork, _ processes: [AskedProcess], _ number: Int, _ round: inout ObjectRound
    ) throws {
        let writes = work.batchCount > 0
        let plan = try plans[work] ?? calibrated(work, processes)
        plans[work] = plan
        _ = try slice(work, plan.operations[0], order.order(number), processes)
        if writes { for process in processes { let _: ObjectAnswer = try process.ask("drain") } }
        var times = processes.map { _ in [Double]() }
        var sums = processes.map { _ in 0.0 }
        let units = Double(max(work.batchCount, 1))
        for first in stride(from: 0, to: plan.operations.count, by: 2) {
            let turn = order.order(number + first / 2)
            let pair = try [turn, turn.reversed()].enumerated().map { index, turn in
                try slice(work, plan.operations[first + index], turn, processes)
            }
            let count = Double(plan.operations[first] + plan.operations[first + 1]) * units
            for member in processes.indices {
                let time = pair.reduce(0) { $0 + $1[member].nanoseconds }
                times[member].append(time / count)
                sums[member] += time + pair.reduce(0) { $0 + $1[member].rest }
            }
        }
        round.times.append(times)
        round.settledTimes.append(
            writes ? try settled(sums, Double(plan.operations.reduce(0, +)) * units, processes) : []
        )
    }

    private func settled(
        _ sums: [Double], _ count: Double, _ processes: [AskedProcess]
    ) throws -> [[Double]] {
        try zip(sums, processes).map { sum, process in
            let answer: ObjectAnswer = try process.ask("drain")
            return [(sum + Double(answer["nanoseconds"]?.first ?? 0)) / count]
        }
    }

    /// Makes each member run one slice, and checks that all have read the same.
    private func slice(
        _ work: ObjectWork, _ operations: Int, _ turn: [Int], _ processes: [AskedProcess]
    ) throws -> [(nanoseconds: Double, rest: Double)] {
        try Interruption.shared.check()
        var answers = processes.map { _ in ObjectAnswer() }
        for member in turn {
            answers[member] = try processes[member].ask(
                "\(work.rawValue) \(nextSlice) \(operations)")
        }
        nextSlice += 1
        try check(answers, "in \(work.rawValue)")
        return answers.map { answer in
            (
                Double(answer["nanoseconds"]?.first ?? 0), Double(answer["rest"]?.first ?? 0)
            )
        }
    }

    /// Plans slices in which even the slowest member needs only the intended time.
    private func calibrated(
        _ work: ObjectWork, _ processes: [AskedProcess]
    ) throws -> SlicePlan {
        var operations = 1
        while true {
            let slices = try slice(work, operations, order.order(0), processes)
            let slowest = slices.map(\.nanoseconds).max() ?? 0
            if let plan = SlicePlan(calibratedBy: operations, took: slowest) { return plan }
            operations *= 4
        }
    }
}

/// Changes seen by another process.
extension ObjectStage {
    private func watch(
        _ member: ObjectLineup.Member, _ writer: AskedProcess, _ folder: String
    ) throws -> (delays: [Double], idle: Double) {
        let watcher = try start(member, in: folder)
        let begun: ObjectAnswer = try watcher.ask("watch")
        guard begun["watches"] == [1] else {
            throw BenchError(.worker, "\(member.name) does not see what other processes change")
        }
        let idle: ObjectAnswer = try watcher.ask("idle 1")
        try watcher.send("see \(Self.touchCount)")
        let _: ObjectAnswer = try writer.ask("touch \(Self.touchCount)")
        let seen: ObjectAnswer = try watcher.answer()
        try watcher.close()
        return (
            (seen["nanoseconds"] ?? []).map(Double.init),
            // At least 1, because a confidence interval needs positive numbers.
            Double(max(idle["nanoseconds"]?.first ?? 0, 1))
        )
    }
}
