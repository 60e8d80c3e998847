internal import Bulla

/// Commits that change one record, three records of one tree, or one record in each of three trees.
struct TreeCosts {
    private static let treeCount = 3

    private enum Shape: String, CaseIterable {
        case one = "one record"
        case three = "three records of one tree"
        case threeTrees = "a record of each of three trees"
    }

    /// Relaxed commits never wait, so they are measured by processor time, which other processes
    /// affect less.
    private static let kinds: [(name: String, durability: Durability, unit: SealingRow.Unit)] = [
        ("durable", .full, .nanoseconds),
        ("relaxed", .relaxed(within: .seconds(1)), .processorNanoseconds),
    ]

    private let run: LogRun
    private let records: LogRecords
    private let forms: [LogForm]

    init(_ run: LogRun, _ records: LogRecords, _ forms: [LogForm]) {
        (self.run, self.records, self.forms) = (run, records, forms)
    }

    func rows() throws -> [SealingRow] {
        let stores = try forms.map {
            try LogStore($0.place("trees", treeCount: Self.treeCount), records)
        }
        let found = try Self.kinds.flatMap { kind in
            let works = stores.flatMap { store in
                Shape.allCases.map { shape in
                    {
                        let took = try took(shape, kind.durability, store)
                        return kind.unit == .nanoseconds ? took.0 : took.processor
                    }
                }
            }
            for work in works { _ = try work() }
            return rows(kind.name, kind.unit, try SealingRun.inTurn(run.roundCount, works))
        }
        for store in stores {
            try store.verify()
            try store.close()
        }
        return found
    }

    /// Compares a form's commits of one record with those of the first form, and its other commits
    /// with its own commits of one record.
    private func rows(
        _ kind: String, _ unit: SealingRow.Unit, _ times: [[[Double]]]
    ) -> [SealingRow] {
        let shapes = Shape.allCases
        return forms.enumerated().flatMap { index, form in
            let own = Array(times[index * shapes.count..<(index + 1) * shapes.count])
            return zip(shapes, own).map { shape, rounds in
                let base = shape == .one ? times[0] : own[0]
                let limit = shape == .one ? 1.05 : 1.3
                return SealingRow(
                    "a \(kind) commit, \(form.name)", shape.rawValue, rounds, unit: unit,
                    over: shape == .one && index == 0 ? nil : base,
                    aim: shape == .three || shape == .one && index == 0 ? nil : (.ratio, limit))
            }
        }
    }

    /// The mean time until a commit returns, and the mean processor time that it takes.
    private func took(
        _ shape: Shape, _ durability: Durability, _ store: LogStore
    ) throws -> (Double, processor: Double) {
        try store.settle()
        var random = Random(seed: 7)
        let groupCount = records.count / Self.treeCount
        let end = Clock.now + run.sliceNanoseconds
        let took = try store.commit(
            durability,
            {
                (0..<(shape == .one ? 1 : Self.treeCount)).map { number in
                    let tree = shape == .threeTrees ? number : 0
                    return random.below(groupCount) * Self.treeCount + tree
                }
            }, until: { $0 >= end })
        return (took.nanoseconds, took.processorNanoseconds)
    }
}
