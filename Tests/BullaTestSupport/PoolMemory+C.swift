import Foundation
import Glibc

/// Reads and writes the memory of a page pool, as any process that has the pool's descriptor can.
package struct PoolMemory {
    private let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// The C library's Swift module may lack these constants of lseek(2).
    private static let seekData: Int32 = 3
    private static let seekHole: Int32 = 4
    private static let partByteCount = 1 << 20

    /// Visits, in parts, the memory that the system has actually allocated.
    private func forEachTouchedPart(_ body: ([UInt8]) -> Void) {
        var start = lseek(descriptor, 0, Self.seekData)
        while start >= 0 {
            let end = lseek(descriptor, start, Self.seekHole)
            for offset in stride(from: start, to: end, by: Self.partByteCount) {
                body(bytes(at: offset, count: min(Self.partByteCount, end - offset)))
            }
            start = lseek(descriptor, end, Self.seekData)
        }
    }

    private func bytes(at offset: Int, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // SAFETY: there is room for as many bytes as requested.
        let read = unsafe pread(descriptor, &bytes, count, offset)
        return Array(bytes.prefix(max(read, 0)))
    }

    package func write(_ bytes: [UInt8], at offset: Int) {
        // SAFETY: the array outlives the call.
        _ = unsafe pwrite(descriptor, bytes, bytes.count, offset)
    }

    /// Whether the system has allocated any memory, whatever is in it.
    package var holdsAnything: Bool { lseek(descriptor, 0, Self.seekData) >= 0 }

    package func contains(_ piece: [UInt8]) -> Bool {
        var isFound = false
        forEachTouchedPart { part in
            isFound = isFound || Data(part).range(of: Data(piece)) != nil
        }
        return isFound
    }
}
