import Bulla
import BullaMemory
import Synchronization

/// A file of a process that kills itself at a given step.
final class KillingFile: StorageFile {
    private let base: any StorageFile
    private let isWorld: Bool
    private let trigger: KillTrigger
    /// Whether the process holds the flush lock through this file.
    private let isLeading = Atomic(false)

    init(_ base: any StorageFile, isWorld: Bool, _ trigger: KillTrigger) {
        self.base = base
        self.isWorld = isWorld
        self.trigger = trigger
    }

    var path: String { base.path }
    var identity: FileIdentity { base.identity }
    var fileSystemKind: UInt64 { base.fileSystemKind }
    func byteCount() throws(BullaError) -> UInt64 { try base.byteCount() }
    func close() { base.close() }

    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError) {
        try base.read(bytes, at: offset)
    }

    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError) {
        let step = try step(writing: bytes, at: offset)
        if trigger.isTearing(step) {
            try base.write(bytes.slice(0, bytes.byteCount / 2), at: offset)
            KillTrigger.die()
        }
        try trigger.pass(step) { () throws(BullaError) in try base.write(bytes, at: offset) }
    }

    private func step(writing bytes: ByteView, at offset: UInt64) throws(BullaError) -> KillStep {
        guard offset >= UInt64(PageFormat.preambleByteCount) else {
            let isFirst = offset < UInt64(PageFormat.copyDistance)
            let place = offset % UInt64(PageFormat.copyDistance)
            return switch Int(place) {
            case PageFormat.keyringOffset: isFirst ? .writeFirstKeyring : .writeSecondKeyring
            case PageFormat.markOffset: isFirst ? .writeFirstMark : .writeSecondMark
            default: isFirst ? .writeFirstMeta : .writeSecondMeta
            }
        }
        // Pages are written whole and in their places, so anything else belongs to the log.
        if !bytes.byteCount.isMultiple(of: Self.block) || !offset.isMultiple(of: UInt64(Self.block))
        {
            return .append
        }
        if offset + UInt64(bytes.byteCount) > (try base.byteCount()) { return .grow }
        return isZeros(bytes) ? .erase : .writePage
    }

    private static let block = 4096

    /// Whether these pages are zeros.
    ///
    /// The last trailer tells, because the trailer of a page with content, or of a sealed page, is
    /// not all zeros.
    private func isZeros(_ bytes: ByteView) -> Bool {
        let trailer = bytes.byteCount - PageFormat.trailerByteCount
        return stride(from: trailer, to: bytes.byteCount, by: 8).allSatisfy { offset in
            bytes.load(UInt64.self, at: offset) == 0
        }
    }

    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        try trigger.pass(isWorld ? .allocateWorld : .allocateData) { () throws(BullaError) in
            try base.allocate(at: offset, byteCount: byteCount)
        }
    }

    func truncate(to byteCount: UInt64) throws(BullaError) {
        try trigger.pass(.truncate) { () throws(BullaError) in try base.truncate(to: byteCount) }
    }

    func space() -> StorageSpace { base.space() }

    func flush() throws(BullaError) {
        try trigger.pass(.flush) { () throws(BullaError) in try base.flush() }
    }

    func openFlushHandle() throws(BullaError) -> any FlushHandle {
        KillingHandle(try base.openFlushHandle(), self)
    }

    /// Flushes through another open file.
    func flush(_ body: () throws(BullaError) -> Void) throws(BullaError) {
        let step = isLeading.load(ordering: .acquiring) ? KillStep.lead : .flush
        try trigger.pass(step, body)
    }

    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping
    {
        try trigger.pass(isWorld ? .mapWorld : .mapData) { () throws(BullaError) in
            try base.map(at: offset, byteCount: byteCount, isWritable: isWritable)
        }
    }

    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool {
        try trigger.pass(step(locking: byte, kind)) { () throws(BullaError) in
            let isDone = try base.lock(byte, kind)
            if byte == LockByte.flush, isDone {
                isLeading.store(kind == .exclusive, ordering: .releasing)
            }
            return isDone
        } isDone: {
            $0
        }
    }

    private func step(locking byte: UInt64, _ kind: LockKind) -> KillStep? {
        switch (byte, kind) {
        case (LockByte.presence, .exclusive): .lockAlone
        case (LockByte.presence, .shared): .lockPresence
        case (LockByte.writer, .exclusive): .lockWriter
        case (LockByte.writer, .none): .unlockWriter
        case (LockByte.tree, .exclusive): .lockTree
        case (LockByte.tree, .none): .unlockTree
        case (LockByte.flush, .exclusive): .lockFlush
        case (LockByte.flush, .none): .unlockFlush
        case (LockByte.slot(0)..<LockByte.slot(1 << 20), .exclusive): .lockSlot
        case (LockByte.reencrypting, .exclusive): .lockReencrypting
        case (LockByte.secret(0)..<LockByte.slot(0), .shared): .lockSecret
        case (_, .shared): .lockWorld
        default: nil
        }
    }

    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool {
        try base.isLocked(bytes, against: kind)
    }
}

/// A flush handle of a process that kills itself at a given step.
private final class KillingHandle: FlushHandle {
    private let base: any FlushHandle
    private let file: KillingFile

    init(_ base: any FlushHandle, _ file: KillingFile) {
        self.base = base
        self.file = file
    }

    func flush() throws(BullaError) {
        try file.flush { () throws(BullaError) in try base.flush() }
    }

    func flush(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        try file.flush { () throws(BullaError) in
            try base.flush(at: offset, byteCount: byteCount)
        }
    }

    func close() { base.close() }
}
