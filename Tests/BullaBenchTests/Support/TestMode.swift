import Foundation

/// How much of a test runs.
enum TestMode {
    /// `BULLA_LONG=1`: minutes, in a release build; otherwise seconds.
    static let isLong = ProcessInfo.processInfo.environment["BULLA_LONG"] == "1"

    static func pick<T>(short: T, long: T) -> T { isLong ? long : short }
}
