import Bulla
import BullaProcessSupport
import BullaWorker
import Testing

/// What the store of a worker threw.
struct WorkerRefusal: Error {
    let code: BullaError.Code
}

extension WorkerProcess {
    /// Tells it what to do, and gives its answer.
    ///
    /// - Throws: what the store threw there: its code is the error's.
    @discardableResult
    func ask(_ order: WorkerOrder) throws -> UInt64 {
        tell(order)
        return try answer()
    }

    func tell(_ order: WorkerOrder) { child.write(order.rawValue + "\n") }

    /// What it answers to the order before.
    func answer() throws -> UInt64 {
        let (name, value) = try Self.parse(try #require(try line()))
        if name == "done" { return value }
        throw WorkerRefusal(code: try #require(BullaError.Code(number: value)))
    }

    /// The code that an order is refused with; `nil` where it is done.
    func refusal(_ order: WorkerOrder) throws -> BullaError.Code? {
        do { try ask(order) } catch let refusal as WorkerRefusal { return refusal.code }
        return nil
    }
}
