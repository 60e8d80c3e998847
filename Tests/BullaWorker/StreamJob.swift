import Bulla
import BullaTestSupport

/// Streams one large value into or out of the store, and reports its digest and the memory used.
struct StreamJob {
    private let command: WorkerCommand
    private let byteCount: Int

    private static let partByteCount = 1 << 18
    private static let tree = "large"
    private static let key = "value"

    init(_ command: WorkerCommand) {
        self.command = command
        byteCount = command.number("bytes")
    }

    func streamIn() throws {
        let memory = MemoryWatch()
        let store = try command.openStore()
        var digest: UInt64 = 0
        var random = TestRandom(seed: 1)
        let pattern = random.uniqueBytes(Self.partByteCount)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: Self.tree)
            try change.putStream(forKey: Self.key, in: tree) { write in
                var position = 0
                while position < byteCount {
                    let part = part(at: position, of: pattern)
                    try part.withBytes { try write($0) }
                    digest = part.withBytes { EntryDigest.fold($0, into: digest) }
                    position += part.count
                }
            }
        }
        try store.close()
        tell(digest, byteCount, memory)
    }

    /// Random bytes, of which the first eight are the position, so that no two parts are equal.
    private func part(at position: Int, of pattern: [UInt8]) -> [UInt8] {
        var part = pattern
        part.replaceSubrange(0..<8, with: UInt64(position).bytes)
        return byteCount - position < part.count ? Array(part.prefix(byteCount - position)) : part
    }

    func streamOut() throws {
        let memory = MemoryWatch()
        let store = try command.openStore()
        var digest: UInt64 = 0
        var position = 0
        try store.read { snapshot in
            let tree = try snapshot.tree(named: Self.tree)
            _ = try snapshot.streamValue(forKey: Self.key, in: tree) { part in
                digest = EntryDigest.fold(part, into: digest)
                position += part.byteCount
            }
        }
        try store.close()
        tell(digest, position, memory)
    }

    private func tell(_ digest: UInt64, _ byteCount: Int, _ memory: MemoryWatch) {
        Line.say("digest", digest)
        Line.say("bytes", byteCount)
        Line.say("growth", memory.growth())
    }
}
