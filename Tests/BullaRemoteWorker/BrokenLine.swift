#if Remote
import BullaRecords
import BullaRecordsRemote
import BullaRecordsWeb
import BullaTestSupport
import Synchronization

/// A connection that breaks: requests do not arrive, or their answers get lost.
final class BrokenLine: RemoteTransport {
    enum State {
        case whole
        /// About one request in three gets lost, or its answer does.
        case faulty
        case cut
    }

    private let current = Mutex(State.whole)
    private let random: Mutex<TestRandom>
    private let transport = Mutex<(any RemoteTransport)?>(nil)

    init(seed: UInt64) { random = Mutex(TestRandom(seed: seed &+ 1)) }

    var state: State {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Sets the connection to which this one passes the requests that it lets through.
    func carry(_ transport: any RemoteTransport) {
        self.transport.withLock { $0 = transport }
    }

    private static let unreachable = RecordError(.unreachable, "the device is offline")
    private static let interrupted = RecordError(.interrupted, "the connection broke")

    private func whole() throws(RecordError) -> any RemoteTransport {
        guard let transport = transport.withLock({ $0 }), state != .cut else {
            throw Self.unreachable
        }
        return transport
    }

    private func isFaulty() -> Bool {
        state == .faulty && random.withLock { $0.isOne(in: 6) }
    }

    func send(_ request: WebRequest) throws(RecordError) -> RemoteAnswer {
        let transport = try whole()
        if isFaulty() { throw Self.interrupted }
        let answer = try transport.send(request)
        if isFaulty() { throw Self.interrupted }
        return answer
    }

    func beginUpload(to target: String) throws(RecordError) -> any RemoteUpload {
        try whole().beginUpload(to: target)
    }

    func download(
        _ target: String, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws -> RemoteAnswer {
        try whole().download(target, body)
    }

    func close() { transport.withLock { $0 }?.close() }
}
#endif
