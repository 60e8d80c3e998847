internal import Foundation

/// What this process has written, as the kernel counts it for `write` and its kin (`proc(5)`,
/// `wchar`).
public enum WrittenBytes {
    /// So far, of all threads; nil where the kernel does not tell.
    ///
    /// An engine that writes its files by such calls alone need not count by itself. What is
    /// written to memory that files are mapped to does not count.
    public static var ofProcess: UInt64? {
        guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar:") })
        else { return nil }
        return line.split(separator: " ").last.flatMap { UInt64($0) }
    }
}
