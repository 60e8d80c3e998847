internal import Foundation
internal import Synchronization

/// The peak of the process's anonymous and shared memory, as observed by a polling thread.
package final class MemoryWatch: Sendable {
    private let base: Int
    private let peak: Mutex<Int>

    package init() {
        // Memory that the polling itself takes must not count as growth.
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

    /// The bytes at the peak, minus those at the beginning.
    package func growth() -> Int {
        look()
        return peak.withLock { $0 } - base
    }

    private func look() {
        let now = Self.now()
        peak.withLock { $0 = max($0, now) }
    }

    /// The bytes of memory that no file backs.
    private static func now() -> Int { status(of: ["RssAnon", "RssShmem"]) }

    /// The peak of the process's memory in bytes, mapped files included.
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
