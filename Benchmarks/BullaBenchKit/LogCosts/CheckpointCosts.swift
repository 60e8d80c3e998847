internal import Bulla
internal import Synchronization

/// Durable commits of one record, alone and while checkpoints run.
struct CheckpointCosts {
    /// What else goes on while commits are timed.
    private enum Company: String, CaseIterable {
        /// Nothing; the log is as full as in the next case.
        case none = "alone"
        /// One checkpoint of a full log; commits are timed until it is over.
        case full = "beside a full log's checkpoint"
        /// One checkpoint after another, each for the commits since the checkpoint before it.
        case endless = "beside endless checkpoints"
    }

    private static let percentiles = [("p50", 50.0), ("p99", 99.0), ("p99.9", 99.9)]

    private let run: LogRun
    private let records: LogRecords
    private let forms: [LogForm]

    init(_ run: LogRun, _ records: LogRecords, _ forms: [LogForm]) {
        (self.run, self.records, self.forms) = (run, records, forms)
    }

    func rows() throws -> [SealingRow] {
        let sides = try forms.map { try Side($0, run, records) }
        var latencies = sides.map { _ in Company.allCases.map { _ in [Latency]() } }
        for round in 0..<run.roundCount {
            let companies = Array(Company.allCases.enumerated())
            for (number, company) in round % 2 == 0 ? companies : companies.reversed() {
                for (index, side) in sides.enumerated() {
                    try Interruption.shared.check()
                    latencies[index][number].append(try side.latency(company))
                }
            }
        }
        for side in sides { try side.close() }
        let times = sides.map { $0.checkpointTimes.map { [$0] } }
        return zip(sides, latencies).flatMap { side, latencies in
            Self.rows("a durable commit, \(side.form.name)", latencies)
        }
            + zip(sides, times).enumerated().map { index, side in
                SealingRow(
                    "checkpoint of a full log", side.0.form.name, side.1,
                    over: index > 0 ? times[0] : nil)
            }
    }

    private static func rows(_ topic: String, _ latencies: [[Latency]]) -> [SealingRow] {
        percentiles.flatMap { name, percent in
            let rounds = latencies.map { rounds in
                rounds.map { [Double($0.percentile(percent) ?? 0)] }
            }
            return zip(Company.allCases, rounds).map { company, times in
                SealingRow(
                    "\(topic): \(name)", company.rawValue, times,
                    over: company == .none ? nil : rounds[0],
                    aim: company != .none && percent == 99 ? (.ratio, 3) : nil)
            }
        }
    }

    /// A store, and a second thread, which makes the store's checkpoints while the first thread
    /// commits.
    private final class Side {
        let form: LogForm
        private let run: LogRun
        private let store: LogStore
        private let checkpoints: Station<Store>
        private let count: Int
        private var random = Random(seed: 5)
        private(set) var checkpointTimes: [Double] = []

        init(_ form: LogForm, _ run: LogRun, _ records: LogRecords) throws {
            (self.form, self.run, count) = (form, run, records.count)
            let store = try LogStore(form.place("checkpoints"), records)
            self.store = store
            checkpoints = Station { [store = store.store] in store }
        }

        func latency(_ company: Company) throws -> Latency {
            guard company != .endless else { return try latencyBesideEndless() }
            try store.fill(0..<count, &random)
            guard company == .full else {
                let end = Clock.now + run.sliceNanoseconds
                return try commit { $0 >= end }
            }
            let isOver = Signal()
            let time = checkpoints.ask { store in
                defer { isOver.give() }
                return try SealingRun.time { _ = try store.checkpoint() }
            }
            let latency = Result { try commit { _ in isOver.isGiven } }
            checkpointTimes.append(try time.take().get())
            return try latency.get()
        }

        private func latencyBesideEndless() throws -> Latency {
            try store.settle()
            let isOver = Signal()
            let ended = checkpoints.ask { store in
                while !isOver.isGiven { _ = try store.checkpoint() }
            }
            let end = Clock.now + run.sliceNanoseconds
            let latency = Result { try commit { $0 >= end } }
            isOver.give()
            try ended.take().get()
            return try latency.get()
        }

        private func commit(until isOver: (_ now: UInt64) -> Bool) throws -> Latency {
            try store.commit(.full, { [random.below(count)] }, until: isOver).latency
        }

        func close() throws {
            try store.verify()
            try store.close()
        }
    }

    /// A flag that one thread sets for another, and that no thread clears.
    private final class Signal: Sendable {
        private let word = Atomic(false)

        var isGiven: Bool { word.load(ordering: .relaxed) }
        func give() { word.store(true, ordering: .relaxed) }
    }
}
