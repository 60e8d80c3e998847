internal import Bulla

/// Hot reads and scans of a store whose log has just been taken over, and of one whose log is full.
///
/// What fills the log changes the lower half of the records alone. In each round the two stores
/// exchange their parts, so that where the pages of each lie does not tell.
struct MemtableCosts {
    private static let readCount = 100_000
    private static let scanCount = 4

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

    /// What is done to an empty store and to a full one, and how much longer the latter may take.
    private struct Work {
        let topic: String
        let aim: Double
        let time: (LogStore) throws -> Double
    }

    private func rows(_ form: LogForm) throws -> [SealingRow] {
        let stores = try (0..<2).map { try LogStore(form.place("memtables-\($0)"), records) }
        var random = Random(seed: 6)
        let works = works(form, &random)
        var times = works.map { _ in [[[Double]]](repeating: [], count: 2) }
        var sizes = [[[Double]]](repeating: [], count: 2)
        for round in 0..<run.roundCount {
            let sides = [stores[round % 2], stores[1 - round % 2]]
            try sides[0].settle()
            try sides[1].fill(halves[0].places, &random)
            let log = try sides[1].store.info.log
            sizes[0].append([Double(log.waitingByteCount)])
            sizes[1].append([Double(log.memoryByteCount)])
            for store in sides { _ = try store.scanTime(0..<records.count) }
            for (number, work) in works.enumerated() {
                try Interruption.shared.check()
                let slices = try [0, 1, 1, 0].map { ($0, try work.time(sides[$0])) }
                for side in 0..<2 {
                    times[number][side].append(slices.filter { $0.0 == side }.map(\.1))
                }
            }
        }
        for store in stores {
            try store.verify()
            try store.close()
        }
        let names = ["it waits", "memory"]
        return zip(works, times).flatMap { work, times in
            [
                SealingRow(work.topic, "memtables empty", times[0]),
                SealingRow(
                    work.topic, "memtables full", times[1], over: times[0],
                    aim: (.ratio, work.aim)),
            ]
        }
            + zip(names, sizes).map { name, bytes in
                SealingRow("the full log, \(form.name)", name, bytes, unit: .bytes)
            }
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
