internal import BullaMemory
internal import Synchronization

/// Reads a file's pages in a mapping of the file; the mapping grows as callers ask for pages.
///
/// The mapping is shared: its bytes can change while they are read. If the file is cut short, a
/// read past its end causes a fault, which the process answers with zeros.
struct PageMapping: ~Copyable, Sendable {
    private let file: any StorageFile
    private let format: PageFormat
    private let window: MappedWindow
    private let growth = Mutex(())
    /// The process's count of faults at the last check that found no fault in this mapping.
    private let faultsOfOthers: Atomic<UInt64>
    /// The last known length of the file.
    private let knownByteCount = Atomic<UInt64>(0)

    init(of file: any StorageFile, _ format: PageFormat) throws(MemoryError) {
        self.file = file
        self.format = format
        window = try MappedWindow()
        faultsOfOthers = Atomic(FileMapping.faultCount)
    }

    /// Throws if a read of this store's mapping was answered with zeros, because the file was cut
    /// short.
    ///
    /// Trust bytes read from the mapping only after this check.
    @inline(__always)
    func checkFaults() throws(BullaError) {
        if FileMapping.faultCount != faultsOfOthers.load(ordering: .relaxed) {
            try lookForFaults()
        }
    }

    @inline(never)
    private func lookForFaults() throws(BullaError) {
        let count = FileMapping.faultCount
        guard hasFaulted else { return faultsOfOthers.store(count, ordering: .relaxed) }
        throw BullaError(
            .corrupted, "read \(file.path): the file was cut short while it was open; open it again"
        )
    }

    /// Whether a read of this store's mapping was answered with zeros.
    var hasFaulted: Bool { growth.withLock { _ in window.hasFaulted } }

    /// Removes the file from the mapping.
    ///
    /// The addresses stay readable and read as zeros, so a late read finds nothing.
    func wipe() { growth.withLock { _ in window.wipe() } }

    /// The page's bytes, or `nil` if they are not mapped yet.
    @inline(__always)
    func mappedPage(_ pointer: PagePointer) -> ByteView? {
        window.page(at: format.offset(pointer.number), byteCount: format.pageByteCount)
    }

    /// The page's bytes; maps them first if necessary.
    func page(_ pointer: PagePointer) throws(BullaError) -> ByteView {
        try checkNumber(pointer)
        if let page = mappedPage(pointer) { return page }
        try mapSegment(at: format.offset(pointer.number))
        guard let page = mappedPage(pointer) else {
            throw pointer.defect("it lies beyond what can be mapped", .missing, in: file)
        }
        return page
    }

    /// Copies bytes that lie below the file's end.
    ///
    /// - Returns: `false` if the bytes do not lie in one part of the mapping, or are not mapped yet
    ///   (in that case the call tries to map them for the next call), or if a read was answered
    ///   with zeros.
    func copy(_ offset: UInt64, into bytes: MutableByteView) -> Bool {
        let count = bytes.byteCount
        guard let found = window.bytes(at: offset, byteCount: count) else {
            try? mapSegment(at: offset)
            return false
        }
        bytes.copy(found, to: 0)
        return FileMapping.faultCount == faultsOfOthers.load(ordering: .relaxed) || !hasFaulted
    }

    /// Throws unless the file has a page of this number.
    ///
    /// A read of the mapping past the file's end would cause a fault.
    func checkNumber(_ pointer: PagePointer) throws(BullaError) {
        guard pointer.number >= format.firstPage, pointer.number < WordTable.wordCountLimit,
            try isInside(format.offset(pointer.number) + UInt64(format.pageByteCount))
        else { throw pointer.defect("the file has no such page", .missing, in: file) }
    }

    private func isInside(_ end: UInt64) throws(BullaError) -> Bool {
        if end <= knownByteCount.load(ordering: .relaxed) { return true }
        let byteCount = try file.byteCount()
        knownByteCount.store(byteCount, ordering: .relaxed)
        return end <= byteCount
    }

    private func mapSegment(at offset: UInt64) throws(BullaError) {
        let segment = offset / UInt64(MappedWindow.segmentByteCount)
        let start = segment * UInt64(MappedWindow.segmentByteCount)
        guard segment < MappedWindow.segmentCountLimit else { return }
        try growth.withLock { _ throws(BullaError) in
            guard window.bytes(at: offset, byteCount: 1) == nil else { return }
            do throws(BullaError) {
                window.add(
                    try file.map(
                        at: start, byteCount: MappedWindow.segmentByteCount, isWritable: false),
                    segment: segment)
            } catch {
                guard error.code == .outOfMemory else { throw error }
                try mapPart(offset)
            }
        }
    }

    /// Maps only a small part of the file, because address space is short, for instance under
    /// `ulimit -v`.
    private func mapPart(_ offset: UInt64) throws(BullaError) {
        let byteCount = MappedWindow.partByteCount
        let start = offset / UInt64(byteCount) * UInt64(byteCount)
        let part = try file.map(at: start, byteCount: byteCount, isWritable: false)
        guard window.add(part, partAt: start) else {
            throw BullaError(
                .outOfMemory, "map \(file.path) at byte \(start): there is no memory for it")
        }
    }
}
