import BullaTestSupport
import Foundation

/// The ways in which a number can be written: its bytes in either order, and its digits.
enum CanarySpelling {
    /// An integer, also as in JSON.
    static func all(of number: Int64) -> [[UInt8]] {
        orders(UInt64(bitPattern: number)) + [Array("\(number)".utf8)]
    }

    /// A double, also as in JSON, but without the last digits, which printers may omit or round.
    static func all(of double: Double) -> [[UInt8]] {
        orders(double.bitPattern) + [Array("\(double)".utf8.prefix(16))]
    }

    /// A date: its number of seconds, as bytes and as digits, and the date and time written out.
    static func all(of date: Date) -> [[UInt8]] {
        let told = String("\(date)".prefix("2026-11-24 12:00:00".count))
        return [date.timeIntervalSince1970, date.timeIntervalSinceReferenceDate]
            .flatMap { orders($0.bitPattern) + [Array("\($0)".utf8)] }
            + [told, told.replacing(" ", with: "T")].map { Array($0.utf8) }
    }

    private static func orders(_ word: UInt64) -> [[UInt8]] {
        var bytes: [UInt8] = []
        bytes.append(little: word)
        return [bytes, bytes.reversed()]
    }
}
