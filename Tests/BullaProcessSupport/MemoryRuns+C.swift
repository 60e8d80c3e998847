internal import Glibc

/// Finds the parts of memory that are not all zeros; most memory is all zeros, and needs no search.
package enum MemoryRuns {
    private static let blockByteCount = 4096
    private static let zeros = [UInt8](repeating: 0, count: blockByteCount)

    /// The runs of blocks that are not all zeros, each as long as possible.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for start in stride(from: 0, to: bytes.count, by: blockByteCount) {
            let end = min(start + blockByteCount, bytes.count)
            if unsafe isZero(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { continue }
            if let last = runs.last, last.upperBound == start {
                runs[runs.count - 1] = last.lowerBound..<end
            } else {
                runs.append(start..<end)
            }
        }
        return runs
    }

    private static func isZero(_ block: UnsafeRawBufferPointer) -> Bool {
        guard let base = block.baseAddress else { return true }
        // SAFETY: both have as many bytes as are compared.
        return unsafe memcmp(base, zeros, block.count) == 0
    }
}
