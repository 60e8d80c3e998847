import BullaTestSupport
import Foundation

/// How a number may have been written: its bytes in either order, and its digits.
enum CanarySpelling {
    /// A number, also as JSON has it.
    static func all(of number: Int64) -> [[UInt8]] {
        orders(UInt64(bitPattern: number)) + [Array("\(number)".utf8)]
    }

    /// A number, also as JSON has it, of which printers leave out or round the last digits.
    static func all(of double: Double) -> [[UInt8]] {
        orders(double.bitPattern) + [Array("\(double)".utf8.prefix(16))]
    }

    /// A date that was kept in seconds, or told.
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
