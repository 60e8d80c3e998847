internal import Dispatch
internal import Synchronization

/// Hands values from one thread to another, in order; who takes waits for one.
final class Mailbox<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let available = DispatchSemaphore(value: 0)

    func put(_ value: Value) {
        values.withLock { $0.append(value) }
        available.signal()
    }

    func take() -> Value {
        available.wait()
        return values.withLock { $0.removeFirst() }
    }
}
