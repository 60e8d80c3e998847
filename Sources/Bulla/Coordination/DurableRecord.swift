internal import BullaCipher
internal import BullaMemory

/// How far the log is durable, according to the leader that flushed it.
///
///     offset  bytes  field
///          0      8  flush     number of this flush of the log in this world, from 1
///          8      8  former    the last commit that was durable before this flush
///         16     48  position  see ``LogPosition``
///         64      8  key epoch the one in use, whose secret seals the record
///         72         zeros
package struct DurableRecord: BoardRecord, Hashable {
    let flush: UInt64
    let former: UInt64
    let position: LogPosition
    private let keyEpoch: UInt64

    private static let positionOffset = 16
    private static let epochOffset = positionOffset + LogPosition.byteCount

    /// Makes the record of the flush after `former`, or, without `former`, the record that recovery
    /// posts.
    package init(_ position: LogPosition, after former: DurableRecord? = nil, keyEpoch: UInt64) {
        flush = (former?.flush ?? 0) + 1
        self.former = former?.commit ?? position.commit
        self.position = position
        self.keyEpoch = keyEpoch
        invariant(flush > former?.flush ?? 0, "the number of a flush of the log only grows")
        invariant(self.former <= commit, "what was durable stays durable")
    }

    init(_ bytes: ByteView, at offset: Int) {
        flush = bytes.load(UInt64.self, at: offset)
        former = bytes.load(UInt64.self, at: offset + 8)
        position = LogPosition(bytes, at: offset + Self.positionOffset)
        keyEpoch = bytes.load(UInt64.self, at: offset + Self.epochOffset)
    }

    func write(_ bytes: MutableByteView, at offset: Int) {
        bytes.store(flush, at: offset)
        bytes.store(former, at: offset + 8)
        position.write(bytes, at: offset + Self.positionOffset)
        bytes.store(keyEpoch, at: offset + Self.epochOffset)
        let end = offset + Self.epochOffset + 8
        bytes.fill(end, bytes.byteCount - end)
    }

    var commit: UInt64 { position.commit }
    var sealEpoch: UInt64 { keyEpoch }

    var sequence: UInt64 { flush }

    func isPlausible(_ format: PageFormat) -> Bool {
        // Before a leader or follower uses the position, it checks whether the half reaches that
        // far.
        former <= commit && flush < UInt64.max / 4
            && position.isPlausible(halfByteCount: UInt64.max / 4)
    }
}
