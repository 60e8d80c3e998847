internal import BullaText
internal import Glibc

/// Which parts of a file the kernel has cached.
package enum PageCache {
    /// How many bytes of a file one call asks about; this is a multiple of every page size.
    private static let windowByteCount = 1 << 30
    /// How many times dropping is tried; once is not enough, because pages that are being written,
    /// or are mapped by a process that is about to end, can be dropped only later.
    private static let attemptLimit = 100
    private static let attemptNanoseconds: UInt64 = 20_000_000

    /// How many bytes of the file are in the page cache, in whole pages except for the last.
    ///
    /// The kernel reports it only for files that the caller owns or may write to.
    package static func residentByteCount(of path: String) throws -> Int {
        try residentByteCount(of: Descriptor.open(path), path)
    }

    /// Drops the whole file from the page cache, and checks that it is gone.
    ///
    /// Flushes changed pages first. No process may map the file: pages that it touched stay cached.
    ///
    /// - Throws: ``BenchExit/system`` if a page stays cached, as on file systems in memory.
    package static func drop(_ path: String) throws {
        let file = try Descriptor.open(path)
        var left = 0
        for attempt in 0..<attemptLimit {
            if attempt > 0 { Clock.sleep(until: Clock.now + attemptNanoseconds) }
            guard fdatasync(file.number) == 0 else { throw BenchError(system: "flush \(path)") }
            let code = posix_fadvise(file.number, 0, 0, POSIX_FADV_DONTNEED)
            guard code == 0 else {
                throw BenchError(system: "drop \(path) from the page cache", code: code)
            }
            left = try residentByteCount(of: file, path)
            if left == 0 { return }
        }
        let kind = (try? Folder.absolute(path)).flatMap { FileSystem(holding: $0) }?.kind
        let rest = "\(Format.bytes(left)) of it are still there"
        throw BenchError(
            .system, "drop \(path) from the page cache: \(rest) (file system \(kind ?? "unknown"))")
    }

    private static func residentByteCount(of file: Descriptor, _ path: String) throws -> Int {
        let byteCount = try file.byteCount()
        return try stride(from: 0, to: byteCount, by: windowByteCount).reduce(0) { sum, start in
            let length = min(windowByteCount, byteCount - start)
            return sum + (try residentByteCount(of: file, start, length, path))
        }
    }

    private static func residentByteCount(
        of file: Descriptor, _ start: Int, _ length: Int, _ path: String
    ) throws -> Int {
        // SAFETY: a new mapping that is never read or written; unmapped before this returns.
        let base = unsafe mmap(nil, length, PROT_READ, MAP_SHARED, file.number, off_t(start))
        guard let base = unsafe base, unsafe base != MAP_FAILED else {
            throw BenchError(system: "map \(path)")
        }
        defer { unsafe munmap(base, length) }
        let pageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))
        var pages = [UInt8](repeating: 0, count: (length + pageByteCount - 1) / pageByteCount)
        // SAFETY: the call writes a byte for each page of the mapping, and the array has as many.
        guard unsafe mincore(base, length, &pages) == 0 else {
            throw BenchError(system: "ask what of \(path) is in the page cache")
        }
        return pages.indices.reduce(0) { sum, page in
            pages[page] & 1 == 0 ? sum : sum + min(pageByteCount, length - page * pageByteCount)
        }
    }
}

extension PageCache {
    /// How many bytes of a folder's files are in the page cache; nil if the kernel does not say.
    static func byteCount(ofFilesIn folder: String) -> UInt64? {
        try? Folder.names(in: folder).reduce(0) { sum, name in
            sum + UInt64(try residentByteCount(of: folder + "/" + name))
        }
    }

    /// Drops all files in a folder from the page cache, and checks that they are gone.
    static func drop(filesIn folder: String) throws {
        for name in Folder.names(in: folder) { try drop(folder + "/" + name) }
    }
}
