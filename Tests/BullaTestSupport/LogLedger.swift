package import Bulla
package import BullaMemory
internal import Synchronization

/// A process's knowledge of a shared log: the value that each commit has put.
package final class LogLedger: LogSink, @unchecked Sendable {
    // `@unchecked`: only a thread that follows the log touches `rooms`, and only one follows at a
    // time.

    private let known = Mutex<[UInt64: [UInt8]]>([:])
    private var rooms: [ScratchBuffer] = []

    package init() {}

    package var values: [UInt64: [UInt8]] { known.withLock { $0 } }

    package func room(_ byteCount: Int, part: Int) throws(BullaError) -> MutableByteView {
        let room = try Buffer.make(byteCount)
        rooms.append(room)
        return room.bytes.slice(0, byteCount)
    }

    package func begin(at position: LogPosition) throws(BullaError) {
        known.withLock { $0 = [:] }
    }

    package func take(_ commit: LogCommit) throws(BullaError) {
        defer { rooms = [] }
        var value: [UInt8] = []
        for frame in commit.frames {
            var operations = frame.operations(PageFormat(pageByteCount: 4096))
            while let operation = try operations.next() {
                guard case .put(7, _, let part) = operation else {
                    throw BullaError(.corrupted, "an operation that nobody wrote")
                }
                value += part.copied()
            }
        }
        note(value, commit.commit)
    }

    fileprivate func note(_ value: [UInt8], _ commit: UInt64) {
        known.withLock { $0[commit] = value }
    }
}

extension SharedLog {
    /// Commits one value, in parts of at most `partByteCount`.
    package func put(
        _ value: [UInt8], _ ledger: LogLedger, partByteCount: Int = 1 << 16
    ) throws(BullaError) -> UInt64 {
        var turn = try beginCommit()
        for start in stride(from: 0, to: max(value.count, 1), by: partByteCount) {
            let part = Array(value[start..<min(start + partByteCount, value.count)])
            try [UInt8(0)].withView { key throws(BullaError) in
                try part.withView { part throws(BullaError) in
                    try turn.append(.put(tree: 7, key: key, value: part))
                }
            }
        }
        guard let end = try turn.commit(taken: { ledger.note(value, $1.commit) }) else {
            throw BullaError(.full, "the log waits for a checkpoint")
        }
        return end.commit
    }
}
