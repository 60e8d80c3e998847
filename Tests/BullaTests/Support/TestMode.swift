import Foundation

/// How much of a test runs, and from which seeds.
enum TestMode {
    private static let environment = ProcessInfo.processInfo.environment

    /// `BULLA_LONG=1`: minutes, in a release build; otherwise seconds.
    static let isLong = environment["BULLA_LONG"] == "1"

    /// How long a lock is waited for: what hangs, and no measure of speed.
    static let patience: Duration = .seconds(600)

    static func pick<T>(short: T, long: T) -> T { isLong ? long : short }

    /// The seeds of a run: one that `BULLA_SEED` gives, fresh ones in the long mode, and always the
    /// same ones otherwise.
    static func seeds(_ count: Int) -> [UInt64] {
        if let seed = environment["BULLA_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return (1...UInt64(count)).map { isLong ? UInt64.random(in: 1...1 << 48) : $0 }
    }
}
