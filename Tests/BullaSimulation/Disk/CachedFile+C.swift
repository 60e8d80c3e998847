package import Bulla
package import BullaMemory
internal import Glibc

/// A file of a simulated disk, as the kernel's page cache holds it.
///
/// It is anonymous memory with a descriptor, so any number of stores can map it, and a mapping sees
/// every write at once.
package final class CachedFile: Sendable {
    package let number: Int
    private let descriptor: Int32

    private typealias MakeAnonymous = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32

    /// memfd_create(2), which the C library's module does not export to Swift.
    private static let makeAnonymous: MakeAnonymous? =
        unsafe dlsym(nil, "memfd_create").map {
            // SAFETY: the symbol is the function of the manual page.
            unsafe unsafeBitCast($0, to: MakeAnonymous.self)
        }

    private static let closeOnExec: UInt32 = 1

    package init(number: Int) throws(BullaError) {
        self.number = number
        descriptor = unsafe Self.makeAnonymous?("bulla-simulation", Self.closeOnExec) ?? -1
        guard descriptor >= 0 else { throw BullaError.system("make a simulated file") }
    }

    deinit { _ = Glibc.close(descriptor) }

    package func byteCount() throws(BullaError) -> UInt64 {
        var about = stat()
        guard unsafe fstat(descriptor, &about) == 0 else {
            throw BullaError.system("stat a simulated file")
        }
        return UInt64(about.st_size)
    }

    package func setByteCount(_ byteCount: UInt64) throws(BullaError) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else {
            throw BullaError.system("set the length of a simulated file")
        }
    }

    /// Reads as many bytes as there are, and returns their number.
    package func read(
        _ bytes: MutableByteView, at offset: UInt64
    ) throws(BullaError) -> Int {
        // SAFETY: the view is valid for its count.
        let count = unsafe pread(
            descriptor, bytes.base, bytes.byteCount, off_t(truncatingIfNeeded: offset))
        guard count >= 0 else { throw BullaError.system("read a simulated file") }
        return count
    }

    package func write(_ bytes: [UInt8], at offset: UInt64) throws(BullaError) {
        // SAFETY: the array is valid for its count.
        let count = unsafe bytes.withUnsafeBytes {
            unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
        }
        guard count == bytes.count else { throw BullaError.system("write a simulated file") }
    }

    package func map(
        at offset: UInt64, byteCount: Int, isWritable: Bool
    ) throws(BullaError) -> FileMapping {
        do {
            return try FileMapping(
                descriptor: descriptor, offset: offset, byteCount: byteCount,
                isWritable: isWritable)
        } catch { throw BullaError.memory("map a simulated file", error) }
    }

    /// Replaces a mapping of this file with private memory.
    ///
    /// No other process sees what is written to that memory from now on. So a killed process writes
    /// nothing more to the file, although the code that stands for the process still runs.
    package func sever(_ mapped: MutableByteView) {
        let protection = PROT_READ | PROT_WRITE
        // SAFETY: the caller keeps the mapping in its place during the call.
        let base = unsafe mmap(
            mapped.base, mapped.byteCount, protection, MAP_PRIVATE | MAP_FIXED, descriptor, 0)
        precondition(unsafe base == mapped.base, "memory is mapped where it was")
    }
}
