internal import Bulla

/// The costs of opening a store whose only process was killed when the log was full.
struct RecoveryCosts {
    private static let nanosecondLimit = 500e6

    private let run: LogRun
    private let records: LogRecords
    private let forms: [LogForm]

    init(_ run: LogRun, _ records: LogRecords, _ forms: [LogForm]) {
        (self.run, self.records, self.forms) = (run, records, forms)
    }

    func rows() throws -> [SealingRow] {
        let sides = try forms.map { try Side($0, run, records) }
        for round in 0..<run.roundCount {
            for side in sides {
                try Interruption.shared.check()
                try side.measure(round)
            }
        }
        return sides.flatMap(\.rows)
    }

    private final class Side {
        private let form: LogForm
        private let run: LogRun
        private let records: LogRecords
        private let place: LogStorePlace
        private var model: LogModel
        private var openings: [[Double]] = []
        private var processorTimes: [[Double]] = []
        private var firstReads: [[Double]] = []
        private var closedFirstReads: [[Double]] = []
        private var waiting: [[Double]] = []

        init(_ form: LogForm, _ run: LogRun, _ records: LogRecords) throws {
            (self.form, self.run, self.records) = (form, run, records)
            place = form.place("recovery")
            let store = try LogStore(place, records)
            model = store.model
            try store.close()
        }

        func measure(_ round: Int) throws {
            try killFiller(seed: UInt64(round + 1))
            let times = try open { waiting.append([try Self.waiting($0)]) }
            openings.append([times.opening])
            processorTimes.append([times.processor])
            firstReads.append([times.firstRead])
            // The store was just closed, so there is nothing to recover from its log.
            closedFirstReads.append([try open { _ in }.firstRead])
        }

        /// Makes a worker fill the log, and kills it.
        private func killFiller(seed: UInt64) throws {
            let worker = try WorkerProcess(name: "the worker to be killed", program: run.program)
            let fill = LogFill(place: place, recordCount: records.count, seed: seed)
            try worker.send(.fill(fill))
            guard case .filled(let batchCount) = try worker.reply() else {
                throw BenchError(.worker, "a worker did not answer that its log is full")
            }
            let end = worker.kill()
            guard case .killed = end else { throw BenchError(.worker, "the worker \(end)") }
            model.take(fill.model(after: batchCount), since: fill.firstValue)
        }

        /// Opens the store, reads one record, verifies all records, and closes the store.
        private func open(
            _ look: (Store) throws -> Void
        ) throws -> (opening: Double, processor: Double, firstRead: Double) {
            let (start, processorStart) = (Clock.now, Clock.processorTime)
            let store = try LogStore(place, records, model)
            let opening = Double(Clock.now - start)
            let processor = Double(Clock.processorTime - processorStart)
            _ = try store.readTime([records.count / 2])
            let firstRead = Double(Clock.now - start)
            try look(store.store)
            try store.verify()
            try store.close()
            return (opening, processor, firstRead)
        }

        private static func waiting(_ store: Store) throws -> Double {
            Double(try store.info.log.unmergedByteCount)
        }

        var rows: [SealingRow] {
            let topic = "open after kill -9, \(form.name)"
            let (aim, read) = ((SealingRow.Aim.figure, nanosecondLimit), "open and first read")
            return [
                SealingRow(topic, "the log that waits", waiting, unit: .bytes),
                SealingRow(topic, "open", openings, aim: aim),
                SealingRow(
                    topic, "processor time of that", processorTimes, unit: .processorNanoseconds),
                SealingRow(topic, read, firstReads, aim: aim),
                SealingRow(topic, "\(read), closed before", closedFirstReads),
            ]
        }
    }
}

/// The orders for a worker that fills a store's log and is then killed.
///
/// The worker does not know the values of the records. It assumes that all have ``firstValue``,
/// which differs from worker to worker. From there on, each change gives a record its next value.
package struct LogFill: Codable, Sendable {
    var place: LogStorePlace
    var recordCount: Int
    /// The seed that decides which records change.
    var seed: UInt64

    var firstValue: Int { Int(seed * 101 % UInt64(LogRecords.valueCount)) }

    private var firstModel: LogModel { LogModel(count: recordCount, value: firstValue) }

    /// Fills the log.
    ///
    /// - Returns: the store, which must stay open, and how many commits filled the log.
    func filled() throws -> (store: LogStore, batchCount: Int) {
        let store = try LogStore(place, LogRecords(count: recordCount), firstModel)
        var random = Random(seed: seed)
        return (store, try store.fill(0..<recordCount, &random))
    }

    func model(after batchCount: Int) -> LogModel {
        var (model, random) = (firstModel, Random(seed: seed))
        for _ in 0..<batchCount {
            for place in LogModel.batch(of: 0..<recordCount, &random) { _ = model.advance(place) }
        }
        return model
    }
}
