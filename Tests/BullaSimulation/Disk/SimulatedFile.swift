internal import Bulla
internal import BullaMemory
internal import Synchronization

/// A file of a simulated disk, opened by one simulated process.
final class SimulatedFile: StorageFile {
    let path: String
    private let process: SimulatedProcess
    private let file: CachedFile
    /// Identifies this open file among others of the same file; locks belong to it.
    private let number: Int
    private let isClosed = Atomic(false)
    /// The writable mappings of this process.
    private let writable = Mutex<[MutableByteView]>([])

    init(_ path: String, _ process: SimulatedProcess, _ file: CachedFile, number: Int) {
        self.path = path
        self.process = process
        self.file = file
        self.number = number
    }

    deinit { close() }

    private var disk: SimulatedDisk { process.disk }

    private func begin(
        _ call: DiskCall, offset: UInt64 = 0
    ) throws(BullaError) -> DiskFault.Effect? {
        // A dead process that uses a closed file gets the error of dead processes, which reaches
        // nobody.
        guard !isClosed.load(ordering: .acquiring) || process.isDead else {
            throw BullaError.system("\(call.rawValue) \(path)", 9)
        }
        return try process.begin(call, path, offset: offset)
    }

    var identity: FileIdentity { FileIdentity(device: 1, inode: UInt64(file.number)) }
    var fileSystemKind: UInt64 { 0 }

    func byteCount() throws(BullaError) -> UInt64 {
        _ = try begin(.byteCount)
        return try file.byteCount()
    }

    func read(_ bytes: MutableByteView, at offset: UInt64) throws(BullaError) {
        _ = try begin(.read, offset: offset)
        let count = try file.read(bytes, at: offset)
        guard count == bytes.byteCount else {
            throw BullaError(
                .corrupted, "read \(path) at byte \(offset): the file ends after \(count) bytes")
        }
    }

    func write(_ bytes: ByteView, at offset: UInt64) throws(BullaError) {
        switch try begin(.write, offset: offset) {
        case .half(let number):
            try disk.write(
                file, bytes.slice(0, bytes.byteCount / 2).copied(), at: offset, by: process)
            throw BullaError.system("write to \(path) at byte \(offset)", number)
        case .whole(let number):
            try disk.write(file, bytes.copied(), at: offset, by: process)
            throw BullaError.system("write to \(path) at byte \(offset)", number)
        case .lost: return
        case .misdirected(let distance):
            try disk.write(
                file, bytes.copied(), at: offset &+ UInt64(bitPattern: distance), by: process)
        case .kill:
            try disk.write(file, bytes.copied(), at: offset, by: process)
            throw process.kill()
        default: try disk.write(file, bytes.copied(), at: offset, by: process)
        }
    }

    func allocate(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        let effect = try begin(.allocate)
        try disk.extend(file, to: offset + byteCount, by: process)
        if case .kill = effect { throw process.kill() }
    }

    func truncate(to byteCount: UInt64) throws(BullaError) {
        let effect = try begin(.truncate)
        try disk.cut(file, to: byteCount, by: process)
        if case .kill = effect { throw process.kill() }
    }

    func space() -> StorageSpace { StorageSpace(availableByteCount: nil, fileByteLimit: nil) }

    func flush() throws(BullaError) { try flush(by: number) }

    func openFlushHandle() throws(BullaError) -> any FlushHandle {
        _ = try begin(.open)
        #if BULLA_CHECKS
        if PlantedBug.current == .flushHandleShared {
            return SimulatedFlushHandle(self, number: number)
        }
        #endif
        return SimulatedFlushHandle(self, number: disk.openAgain(file))
    }

    /// Flushes the file, or a range of it, through one of its open files.
    func flush(_ range: Range<UInt64>? = nil, by open: Int) throws(BullaError) {
        let call = range == nil ? DiskCall.flush : .flushRange
        switch try begin(call, offset: range?.lowerBound ?? 0) {
        case .error(let number):
            disk.failWriteBack(file.number, range, number)
            try disk.flush(file, range, by: open, of: process)
        case .failAndKill:
            disk.failWriteBack(file.number, range, 5)
            try? disk.flush(file, range, by: open, of: process)
            throw process.kill()
        case .kill:
            try disk.flush(file, range, by: open, of: process)
            throw process.kill()
        case .lost: return
        default: try disk.flush(file, range, by: open, of: process)
        }
    }

    func map(at offset: UInt64, byteCount: Int, isWritable: Bool) throws(BullaError) -> FileMapping
    {
        _ = try begin(.map)
        let mapping = try file.map(at: offset, byteCount: byteCount, isWritable: isWritable)
        if isWritable { writable.withLock { $0.append(mapping.bytes) } }
        return mapping
    }

    func lock(_ byte: UInt64, _ kind: LockKind) throws(BullaError) -> Bool {
        _ = try begin(.lock)
        let isTaken = disk.lock(file, byte, kind, by: number)
        // Another thread may have killed the process and released its locks before this lock was
        // taken; nobody else would release it.
        if isClosed.load(ordering: .acquiring) {
            disk.releaseLocks(of: number)
            _ = try begin(.lock)
        }
        return isTaken
    }

    func isLocked(_ bytes: Range<UInt64>, against kind: LockKind) throws(BullaError) -> Bool {
        _ = try begin(.lock)
        return disk.isLocked(file, bytes, kind, for: number)
    }

    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        disk.releaseLocks(of: number)
    }

    /// Severs the process's writable mappings from the file, so that no later write through them
    /// reaches the file.
    func sever() {
        for view in writable.withLock({ $0 }) { file.sever(view) }
    }
}

/// A file of a simulated disk, opened again for flushing.
final class SimulatedFlushHandle: FlushHandle {
    private let file: SimulatedFile
    private let number: Int

    init(_ file: SimulatedFile, number: Int) {
        self.file = file
        self.number = number
    }

    func flush() throws(BullaError) { try file.flush(by: number) }

    func flush(at offset: UInt64, byteCount: UInt64) throws(BullaError) {
        try file.flush(offset..<offset + byteCount, by: number)
    }

    /// Does nothing: the handle ends together with the file that it was made from.
    func close() {}
}
