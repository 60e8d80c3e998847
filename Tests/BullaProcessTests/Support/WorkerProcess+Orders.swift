import Bulla
import BullaProcessSupport
import BullaWorker
import Testing

/// The error of a worker's store.
struct WorkerRefusal: Error {
    let code: BullaError.Code
}

extension WorkerProcess {
    /// Gives the worker an order, and returns its answer.
    ///
    /// - Throws: ``WorkerRefusal`` with the code of the error that the worker's store threw.
    @discardableResult
    func ask(_ order: WorkerOrder) throws -> UInt64 {
        tell(order)
        return try answer()
    }

    func tell(_ order: WorkerOrder) { child.write(order.rawValue + "\n") }

    /// The answer to the previous order.
    func answer() throws -> UInt64 {
        let (name, value) = try Self.parse(try #require(try line()))
        if name == "done" { return value }
        throw WorkerRefusal(code: try #require(BullaError.Code(number: value)))
    }

    /// The code with which a worker refuses an order; `nil` if it executes the order.
    func refusal(_ order: WorkerOrder) throws -> BullaError.Code? {
        do { try ask(order) } catch let refusal as WorkerRefusal { return refusal.code }
        return nil
    }
}
