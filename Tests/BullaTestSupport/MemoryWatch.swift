internal import Foundation
internal import Synchronization

/// How much anonymous and shared memory the process takes at most, as a thread sees that looks
/// all the time.
package final class MemoryWatch: Sendable {
    private let base: Int
    private let peak: Mutex<Int>

    package init() {
        // What looking itself takes is no growth.
        _ = Self.now()
        base = Self.now()
        peak = Mutex(base)
        let thread = Thread { [weak self] in
            while let watch = self {
                watch.look()
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
        thread.start()
    }

    /// Bytes at the peak above those at the beginning.
    package func growth() -> Int {
        look()
        return peak.withLock { $0 } - base
    }

    private func look() {
        let now = Self.now()
        peak.withLock { $0 = max($0, now) }
    }

    /// Bytes of memory that no file is behind.
    private static func now() -> Int { status(of: ["RssAnon", "RssShmem"]) }

    /// Bytes of memory that the process had at most, what lies behind files included.
    package static var peakByteCount: Int { status(of: ["VmHWM"]) }

    private static func status(of names: [String]) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        var kibibytes = 0
        for line in status.split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " })
            guard words.count >= 2, names.contains(String(words[0])) else { continue }
            kibibytes += Int(words[1]) ?? 0
        }
        return kibibytes << 10
    }
}
