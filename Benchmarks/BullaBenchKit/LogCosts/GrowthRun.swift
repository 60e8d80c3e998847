internal import BullaText
internal import Foundation

/// Measures ever larger loads: each load puts its records in random order, 10 000 per commit,
/// without a pause, and lasts until no work is left.
///
/// Other commands divide a load into slices, and let the engine rest after each. This command alone
/// never interrupts a load for the engine's background work.
package struct GrowthRun: Codable, Sendable {
    /// The sizes of the loads in records, ascending; the larger loads are compared with the first.
    package var recordCounts = [300_000, 1_000_000]
    package var roundCount = 5
    package var cacheByteCount = 512 << 20
    /// The limit of the log of an additional encrypted store; nil for no such store.
    package var logByteCount: Int?
    package var directory = "."

    package init() {}

    package func result(_ lineup: Lineup, _ tell: (String) -> Void) throws -> RowResult<Self> {
        let lineup = logByteCount.map { lineup.adding(encryptedWithLog: $0) } ?? lineup
        for reason in lineup.skipped { tell("left out: \(reason)") }
        let scratch = try Scratch(under: directory, isKept: false)
        return try RowResult(.growth, self, directory) {
            let sources = try recordCounts.map { count in
                tell("making \(count) records")
                return try source(count, scratch)
            }
            let stage = GrowthStage(self, lineup, scratch, key: try RunKey.random())
            var loads = sources.map { _ in lineup.contenders.map { _ in [GrowthLoad]() } }
            for round in 0..<roundCount {
                for (size, source) in sources.enumerated() {
                    tell("round \(round + 1) of \(roundCount): \(source.recordCount) records")
                    for contender in lineup.order(round) {
                        loads[size][contender].append(try stage.load(source, contender, round))
                    }
                }
            }
            return GrowthTable(lineup, sources.map(\.recordCount), loads).rows
        }
    }

    private func source(_ count: Int, _ scratch: Scratch) throws -> Source {
        var options = RecordOptions()
        (options.count, options.fieldCount) = (count, 1)
        return try Source(
            name: "\(count)", YCSBRecords.table(options, seed: 1), to: scratch.file("\(count)"),
            seed: 1)
    }
}

extension Lineup {
    fileprivate func adding(encryptedWithLog byteCount: Int) -> Lineup {
        guard let place = contenders.firstIndex(where: \.isEncrypted) else { return self }
        var further = contenders[place]
        further.name += ", log \(ByteCount(byteCount))"
        further.logByteCount = byteCount
        return Lineup(contenders + [further], pairings, skipped: skipped)
    }
}

extension Folder {
    /// The total length in bytes of all files in a folder and its subfolders.
    fileprivate static func byteCount(_ path: String) throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: path).reduce(0) { sum, name in
            let facts = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            let isFile = facts[.type] as? FileAttributeType == .typeRegular
            return sum + (isFile ? facts[.size] as? Int ?? 0 : 0)
        }
    }
}

/// The result of one load.
struct GrowthLoad {
    /// The time until the last commit returned, and the time until no work was left.
    let (nanoseconds, settledNanoseconds): (Double, Double)
    let writtenByteCount: UInt64
    /// The size of the store's files after closing.
    let fileByteCount: Int
}

/// Loads stores one after the other, each new and in a process of its own.
struct GrowthStage {
    private let run: GrowthRun
    private let lineup: Lineup
    private let scratch: Scratch
    private let key: String

    init(_ run: GrowthRun, _ lineup: Lineup, _ scratch: Scratch, key: String) {
        (self.run, self.lineup, self.scratch, self.key) = (run, lineup, scratch, key)
    }

    func load(_ source: Source, _ number: Int, _ round: Int) throws -> GrowthLoad {
        let contender = lineup.contenders[number]
        let folder = scratch.file("store")
        try Folder.make(folder)
        defer { Folder.remove(folder) }
        let plan = WorkloadPlan(.load, lane: 0, laneCount: 1, seed: UInt64(round))
        let crew = try Crew(
            contender, plan, on: source, in: folder, key: contender.isEncrypted ? key : nil,
            cacheByteLimit: run.cacheByteCount, barrierPath: scratch.file("barrier"))
        let commits = SlicePlan(loading: source.recordCount, laneCount: 1).operations.reduce(0, +)
        var total = RoundResult.Total()
        total.add(try crew.runSlice(operations: commits))
        try crew.drain()
        try crew.verify(source.digest)
        total.add(try crew.close())
        return GrowthLoad(
            nanoseconds: total.nanoseconds,
            settledNanoseconds: total.nanoseconds + total.afterNanoseconds,
            writtenByteCount: total.costs.byteCountWritten ?? 0,
            fileByteCount: try Folder.byteCount(folder))
    }
}

/// The table of the loads, by size and contender.
struct GrowthTable {
    private static let encrypted = "bulla-encrypted"

    private let lineup: Lineup
    private let counts: [Int]
    private let loads: [[[GrowthLoad]]]

    init(_ lineup: Lineup, _ counts: [Int], _ loads: [[[GrowthLoad]]]) {
        (self.lineup, self.counts, self.loads) = (lineup, counts, loads)
    }

    var rows: [SealingRow] {
        counts.indices.flatMap { size in
            let all = lineup.contenders.indices
            var rows = all.map { acknowledged(size, $0) }
            rows += all.map { settled(size, $0) }
            rows += rivals(size)
            rows += all.map { written(size, $0) }
            rows += all.map { file(size, $0) }
            if size > 0 { rows += all.map { growth(size, $0) } }
            return rows
        }
    }

    private func acknowledged(_ size: Int, _ number: Int) -> SealingRow {
        SealingRow(
            "load \(counts[size]), a record until acknowledged", name(number),
            figures(size, number) { $0.nanoseconds / Double(counts[size]) })
    }

    /// Compares the encrypted store with the plain one, and all others with the encrypted one.
    private func settled(_ size: Int, _ number: Int) -> SealingRow {
        let isEncrypted = name(number) == Self.encrypted
        let base = isEncrypted ? place("bulla") : place(Self.encrypted)
        return SealingRow(
            "load \(counts[size]), a record until settled", name(number), times(size, number),
            over: base.flatMap { $0 == number ? nil : times(size, $0) },
            aim: isEncrypted ? (.ratio, 1.05) : nil)
    }

    /// Compares encrypted stores of Bulla with RocksDB and LMDB; each limit is the greatest ratio
    /// of Bulla's time to the peer's that meets the target.
    private func rivals(_ size: Int) -> [SealingRow] {
        let isLarge = counts[size] >= 3_000_000
        let limits = [("rocksdb", isLarge ? 1 / 0.7 : 1), ("lmdb", isLarge ? 1 / 1.5 : 0.5)]
        let own = lineup.contenders.indices.filter { name($0).hasPrefix(Self.encrypted) }
        return own.flatMap { number in
            limits.compactMap { peer, limit in
                place(peer).map { place in
                    SealingRow(
                        "load \(counts[size]), a record until settled",
                        "\(name(number)) over \(peer)", times(size, number),
                        over: times(size, place),
                        aim: counts[size] >= 1_000_000 ? (.ratio, limit) : nil)
                }
            }
        }
    }

    private func written(_ size: Int, _ number: Int) -> SealingRow {
        let limit = counts[size] >= 5_000_000 ? 2_500.0 : counts[size] == 1_000_000 ? 1_000 : nil
        return SealingRow(
            "load \(counts[size]), written a record", name(number),
            figures(size, number) { Double($0.writtenByteCount) / Double(counts[size]) },
            unit: .bytes, aim: isOwn(number) ? limit.map { (.figure, $0) } : nil)
    }

    private func file(_ size: Int, _ number: Int) -> SealingRow {
        let bytes = { (number: Int) in figures(size, number) { Double($0.fileByteCount) } }
        let base = isOwn(number) ? place("lmdb").map(bytes) : nil
        return SealingRow(
            "load \(counts[size]), files afterwards", name(number), bytes(number), unit: .bytes,
            over: base, aim: base != nil && counts[size] >= 5_000_000 ? (.ratio, 1.2) : nil)
    }

    private func growth(_ size: Int, _ number: Int) -> SealingRow {
        SealingRow(
            "growth from \(counts[0]) to \(counts[size])", name(number), times(size, number),
            over: times(0, number),
            aim: isOwn(number) && counts[size] >= 5_000_000 ? (.ratio, 2) : nil)
    }

    private func times(_ size: Int, _ number: Int) -> [[Double]] {
        figures(size, number) { $0.settledNanoseconds / Double(counts[size]) }
    }

    private func figures(
        _ size: Int, _ number: Int, _ figure: (GrowthLoad) -> Double
    ) -> [[Double]] {
        loads[size][number].map { [figure($0)] }
    }

    private func name(_ number: Int) -> String { lineup.contenders[number].name }
    private func isOwn(_ number: Int) -> Bool { name(number).hasPrefix("bulla") }
    private func place(_ name: String) -> Int? {
        lineup.contenders.firstIndex { $0.name == name }
    }
}
