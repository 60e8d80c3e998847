import Bulla
import BullaCipher
import BullaMemory

/// Stands for a meta slot, which gives the log the place where replay begins.
enum MetaStandIn {
    private static let byteCount = 56
    private static let sumOffset = 48

    private static func offset(_ slot: Int) -> UInt64 {
        UInt64(PageFormat.metaOffset + slot * PageFormat.copyDistance)
    }

    static func write(
        _ position: LogPosition, _ slot: Int, _ file: any StorageFile
    ) throws(BullaError) {
        try MutableByteView.withTemporary(byteCount: byteCount) { bytes throws(BullaError) in
            bytes.store(position.commit, at: 0)
            bytes.store(position.place.sequence, at: 8)
            bytes.store(position.place.offset, at: 16)
            bytes.store(position.segment ?? .max, at: 24)
            position.tag.store(in: bytes, at: 32)
            bytes.store(Checksum.xxh64(bytes.view.slice(0, sumOffset)), at: sumOffset)
            try file.write(bytes.view, at: offset(slot))
        }
    }

    /// The position in a slot; `nil` if the slot's bytes are not as they were written.
    static func read(_ slot: Int, _ file: any StorageFile) throws(BullaError) -> LogPosition? {
        try MutableByteView.withTemporary(byteCount: byteCount) { bytes throws(BullaError) in
            try file.read(bytes, at: offset(slot))
            let view = bytes.view
            func word(_ offset: Int) -> UInt64 { view.load(UInt64.self, at: offset) }
            guard word(sumOffset) == Checksum.xxh64(view.slice(0, sumOffset)) else { return nil }
            return LogPosition(
                place: LogPlace(sequence: word(8), offset: word(16)),
                segment: word(24) == .max ? nil : word(24), tag: FrameTag(view, at: 32),
                commit: word(0))
        }
    }

    /// Writes both slots; flushes the first before writing the other.
    static func writeBoth(
        _ position: LogPosition, _ file: any StorageFile, _ handle: any FlushHandle
    ) throws(BullaError) {
        for slot in 0..<2 {
            try write(position, slot, file)
            try handle.flush(at: offset(slot), byteCount: UInt64(byteCount))
        }
    }
}
