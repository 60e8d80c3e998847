internal import Bulla

/// Hot reads and scans of three stores: one with empty memtables, one with a full log that
/// checkpoints have just merged into the trees, and one with a full log that is not yet merged.
///
/// The commits in the log change only the lower half of the records. The stores exchange roles from
/// round to round, so that it does not matter where the pages of a store are in memory.
struct MemtableCosts {
    private static let readCount = 100_000
    private static let scanCount = 4
    private static let parts = ["memtables empty", "log just taken over", "memtables full"]

    private let run: LogRun
    private let records: LogRecords
    private let forms: [LogForm]
    private let halves: [(name: String, places: Range<Int>)]

    init(_ run: LogRun, _ records: LogRecords, _ forms: [LogForm]) {
        (self.run, self.records, self.forms) = (run, records, forms)
        let middle = records.count / 2
        halves = [("a changed", 0..<middle), ("an unchanged", middle..<records.count)]
    }

    func rows() throws -> [SealingRow] { try forms.flatMap(rows) }

    /// A measurement made on all stores, and how much longer than the first store the others may
    /// take.
    private struct Work {
        let topic: String
        let aim: Double
        let time: (LogStore) throws -> Double
    }

    private func rows(_ form: LogForm) throws -> [SealingRow] {
        let parts = Self.parts.indices
        let stores = try parts.map { try LogStore(form.place("memtables-\($0)"), records) }
        var random = Random(seed: 6)
        let works = works(form, &random)
        var times = works.map { _ in parts.map { _ in [[Double]]() } }
        var waiting: [[Double]] = []
        var memory = parts.map { _ in [[Double]]() }
        for round in 0..<run.roundCount {
            let sides = parts.map { stores[($0 + round) % parts.count] }
            for side in sides[1...] { try side.fill(halves[0].places, &random) }
            try sides[0].empty()
            try sides[1].settle()
            waiting.append([Double(try sides[2].store.info.log.unmergedByteCount)])
            for part in parts {
                memory[part].append([Double(try sides[part].store.info.log.memoryByteCount)])
            }
            for store in sides { _ = try store.scanTime(0..<records.count) }
            for (number, work) in works.enumerated() {
                try Interruption.shared.check()
                let slices = try (parts + parts.reversed()).map { ($0, try work.time(sides[$0])) }
                for part in parts {
                    times[number][part].append(slices.filter { $0.0 == part }.map(\.1))
                }
            }
        }
        for store in stores {
            try store.verify()
            try store.close()
        }
        var rows = zip(works, times).flatMap { work, times in
            zip(Self.parts, times).enumerated().map { part, row in
                SealingRow(
                    work.topic, row.0, row.1, unit: .processorNanoseconds,
                    over: part > 0 ? times[0] : nil, aim: part > 0 ? (.ratio, work.aim) : nil)
            }
        }
        let topic = "the log, \(form.name)"
        rows.append(SealingRow(topic, "waits when full", waiting, unit: .bytes))
        // The first store's memory has no row, because its memtables are empty, and an interval
        // needs positive numbers.
        rows += zip(Self.parts, memory).dropFirst().map { part, bytes in
            SealingRow(topic, "memory, \(part)", bytes, unit: .bytes)
        }
        return rows
    }

    private func works(_ form: LogForm, _ random: inout Random) -> [Work] {
        let reads = halves.map { half in
            let places = (0..<Self.readCount).map { _ in
                half.places.lowerBound + random.below(half.places.count)
            }
            return Work(topic: "read of \(half.name) record, \(form.name)", aim: 1 / 0.8) { store in
                try store.readTime(places)
            }
        }
        return reads
            + zip(halves, [1 / 0.7, 1 / 0.95]).map { half, aim in
                Work(topic: "scan of \(half.name) range, \(form.name)", aim: aim) { store in
                    let times = try (0..<Self.scanCount).map { _ in
                        try store.scanTime(half.places)
                    }
                    return times.reduce(0, +) / Double(times.count)
                }
            }
    }
}
