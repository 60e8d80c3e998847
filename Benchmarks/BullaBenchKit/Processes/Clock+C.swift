internal import Foundation
internal import Glibc

/// The machine's monotonic clock, which all processes share, so their times can be compared.
package enum Clock {
    @inline(__always) package static var now: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

    /// The processor time that this process has used so far, in all of its threads.
    static var processorTime: UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    @inline(__always) private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        // SAFETY: writes the one timespec that it is given.
        unsafe clock_gettime(clock, &time)
        return UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000
            &+ UInt64(bitPattern: Int64(time.tv_nsec))
    }

    /// Sleeps until `instant`; returns at once if it has passed.
    package static func sleep(until instant: UInt64) {
        var time = timespec(
            tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
        // SAFETY: the call reads the one timespec that it is given, and writes no remaining time.
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    /// Waits until `instant` without sleeping, because a timer would wake the thread too late.
    static func spin(until instant: UInt64) { while now < instant {} }

    /// The cost of reading the clock: the smallest of several means, in nanoseconds.
    package static func cost() -> Double {
        (0..<10).map { _ in meanCost(count: 10_000) }.min() ?? 0
    }

    private static func meanCost(count: Int) -> Double {
        let start = now
        var last = start
        for _ in 0..<count { last = now }
        return Double(last - start) / Double(count)
    }

    /// The current date and time, such as `2025-11-21T09:43:00Z`.
    package static var timestamp: String { ISO8601DateFormatter().string(from: Date()) }
}

package enum Executable {
    package static func path() throws -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        // SAFETY: the call writes at most as much as the array has.
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0, count < bytes.count else {
            throw BenchError(system: "find this program's own file")
        }
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package static func isThere(_ path: String) -> Bool {
        // SAFETY: the call reads the path, which lives across it.
        unsafe access(path, X_OK) == 0
    }
}

enum CryptoLibrary {
    private typealias Version = @convention(c) (Int32) -> UnsafePointer<CChar>?

    /// The version, such as `OpenSSL 3.0.17 1 Jul 2025`; nil without libcrypto.
    static var version: String? {
        // SAFETY: null means this program; the function has had this type since OpenSSL 1.1.0.
        guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "OpenSSL_version") else {
            return nil
        }
        let function = unsafe unsafeBitCast(symbol, to: Version.self)
        return unsafe function(0).map { unsafe String(cString: $0) }
    }
}
