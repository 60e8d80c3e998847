internal import BullaBenchKit
internal import BullaObjectPeer

/// The results of all rounds, with their aims.
struct ObjectTable {
    /// The greatest allowed ratio of the time of encrypted objects to that of trees.
    private static let treesLimit = 2.5
    /// The greatest allowed ratio of the time of encrypted objects to that of plain ones.
    private static let plainLimit = 1.1
    /// The greatest allowed ratio of GRDB's time in the harness to its time without the harness.
    private static let bareLimit = 1.05
    private static let delayLimit = 5e6
    /// The greatest allowed processor time in a second without changes; the process wakes up five
    /// times in that second.
    private static let idleLimit = 1e6

    private let lineup: ObjectLineup
    private let works: [ObjectWork]
    private var rounds: [ObjectRound] = []

    init(_ lineup: ObjectLineup, _ works: [ObjectWork]) {
        (self.lineup, self.works) = (lineup, works)
    }

    mutating func add(_ round: ObjectRound) { rounds.append(round) }

    var rows: [SealingRow] {
        works.indices.flatMap { place in
            let work = works[place]
            let rows = rows(work.title, rounds.map { $0.times[place] }, work.limit)
            guard work.batchCount > 0 else { return rows }
            let settled = rounds.map { $0.settledTimes[place] }
            return rows + self.rows(work.title + ", until settled", settled, nil)
        } + watchRows
    }

    /// - Parameters:
    ///   - rounds: the times, by round, then by member.
    ///   - limit: the greatest allowed ratio of objects' time to GRDB's; nil if the rows have no
    ///     aim.
    private func rows(_ topic: String, _ rounds: [[[Double]]], _ limit: Double?) -> [SealingRow] {
        let times = lineup.members.indices.map { member in rounds.map { $0[member] } }
        let (judged, others) = (lineup.members[0].name, lineup.members.indices.dropFirst())
        let figures = others.map { SealingRow(topic, lineup.members[$0].name, times[$0]) }
        let ratios = others.map { member in
            let name = lineup.members[member].name
            let aim = limit.map { Self.limit(over: name, grdb: $0) }
            return SealingRow(
                topic, "\(judged) / \(name)", times[0], over: times[member],
                aim: aim.map { (of: .ratio, limit: $0) })
        }
        return figures + ratios
    }

    /// The greatest allowed ratio of the first member's time to that of the member `name`.
    private static func limit(over name: String, grdb limit: Double) -> Double {
        switch name {
        case ObjectLineup.trees: treesLimit
        case ObjectLineup.plain: plainLimit
        case ObjectLineup.bare: bareLimit
        default: limit
        }
    }

    private var watchRows: [SealingRow] {
        let watching = lineup.members.indices.filter { lineup.members[$0].isWatching }
        let delays = watching.map { member in rounds.map { $0.delays[member] } }
        let idle = watching.map { member in rounds.map { $0.idleTimes[member] } }
        let names = watching.map { lineup.members[$0].name }
        let topic = "a change seen by another process"
        var rows: [SealingRow] = zip(names, delays).map { name, delays in
            SealingRow(topic, name, delays, aim: (.figure, Self.delayLimit))
        }
        for index in watching.indices.dropFirst() {
            let name = "\(names[0]) / \(names[index])"
            rows.append(
                SealingRow(
                    topic, name, delays[0], over: delays[index], aim: (.ratio, Self.plainLimit)))
        }
        return rows
            + zip(names, idle).map { name, times in
                SealingRow(
                    "a second without a change", name, times, unit: .processorNanoseconds,
                    aim: (.figure, Self.idleLimit))
            }
    }
}

extension ObjectWork {
    fileprivate var title: String {
        switch self {
        case .fetch: "fetch by key"
        case .fetchEach: "fetch by key, a read each"
        case .query10: "query by index, 10 results"
        case .query1000: "query by index, 1000 results"
        case .filter: "filter without an index, 1 %"
        case .sort: "sort by index, first 20"
        case .count: "count by range"
        case .update: "update by key, 1000 a transaction"
        case .insertOne: "insert, 1 a transaction"
        case .insert1000: "insert, 1000 a transaction"
        case .insert10000: "insert, 10000 a transaction"
        }
    }

    /// The greatest allowed ratio of encrypted objects' time to GRDB's.
    fileprivate var limit: Double {
        switch self {
        case .fetch, .fetchEach: 1 / 4.0
        case .insertOne: 1 / 1.3
        case .query10, .query1000, .filter, .sort, .count, .update, .insert1000, .insert10000: 0.5
        }
    }
}
