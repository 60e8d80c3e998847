import Bulla
import Glibc

/// What the kernel's page cache holds of a file (cachestat(2), since Linux 6.5).
struct CachedPages {
    private typealias Call =
        @convention(c) (
            Int, Int, UnsafePointer<UInt64>, UnsafeMutablePointer<UInt64>, UInt32
        ) -> Int

    private static let number = 451
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, dirtyCount(0..<1) != nil else { return nil }
    }

    func close() { _ = Glibc.close(descriptor) }

    /// How many pages of a range are waiting to be written, or being written; `nil` if the kernel
    /// does not tell.
    func dirtyCount(_ range: Range<UInt64>) -> Int? {
        guard let symbol = unsafe dlsym(nil, "syscall") else { return nil }
        // SAFETY: the call takes its arguments in registers, as a function of this type does.
        let call = unsafe unsafeBitCast(symbol, to: Call.self)
        let asked = [range.lowerBound, range.upperBound - range.lowerBound]
        var facts = [UInt64](repeating: 0, count: 5)
        // SAFETY: two words are read, and five are written (struct cachestat).
        let answer = unsafe call(Self.number, Int(descriptor), asked, &facts, 0)
        return answer == 0 ? Int(facts[1] + facts[2]) : nil
    }
}
