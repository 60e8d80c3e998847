internal import Foundation

/// How much of a test runs, and with which seeds.
package enum TestMode {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether `BULLA_LONG=1` is set: a test then runs for minutes (in a release build), and
    /// otherwise for seconds.
    package static let isLong = environment["BULLA_LONG"] == "1"

    package static func pick<T>(short: T, long: T) -> T { isLong ? long : short }

    /// The seeds of a run: one (`7`) or a range (`26-50`) from `BULLA_SEED`; if it is not set, new
    /// ones in the long mode, and always the same ones in the short mode.
    ///
    /// The two short runs share the work: a build without checks takes the even seeds, and one with
    /// checks, which is several times slower, half of the odd ones.
    package static func seeds(_ count: Int) -> [UInt64] {
        if let given { return given }
        guard !isLong else { return (0..<count).map { _ in UInt64.random(in: 1...1 << 48) } }
        let all = Array(1...UInt64(count))
        return count == 1 ? all : all.filter { hasChecks ? $0 % 4 == 1 : $0 % 2 == 0 }
    }

    /// Whether the build checks invariants, which makes it several times slower.
    ///
    /// A build with checks leaves the longest tests of the harness, and some variants of others, to
    /// the build without checks.
    #if BULLA_CHECKS
    package static let hasChecks = true
    #else
    package static let hasChecks = false
    #endif

    private static let given: [UInt64]? = {
        let ends = environment["BULLA_SEED"]?.split(separator: "-").compactMap { UInt64($0) } ?? []
        guard let first = ends.first, let last = ends.last, first <= last else { return nil }
        return Array(first...last)
    }()

    /// The count to try after `count`; the short mode skips some counts, and more of the higher
    /// ones.
    package static func next(_ count: Int) -> Int { count + 1 + (isLong ? 0 : count) }

    /// The environment that repeats a run.
    package static func replay(_ seed: UInt64) -> String {
        "BULLA_SEED=\(seed)" + (isLong ? " BULLA_LONG=1" : "")
    }

    /// Reports how far a long run has come.
    package static func tell(_ progress: @autoclosure () -> String) {
        if isLong { print(progress()) }
    }

    /// How long a test waits for a hanging process before it gives up; it is no measure of speed.
    package static let patience: Duration = .seconds(600)
}
