/// A length of time as people write it: `1s`, `500ms`, `2m`, or a number of seconds.
package struct TimeSpan: LosslessStringConvertible, Hashable, Sendable {
    private static let units: [(name: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000),
    ]

    package let duration: Duration
    package let description: String

    /// Returns nil unless `text` is a number, with or without a unit, for a time from 1 ms to one
    /// day.
    package init?(_ text: String) {
        let unit = Self.units.first { text.hasSuffix($0.name) }
        let digits = text.dropLast(unit?.name.count ?? 0)
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(digits)
        else { return nil }
        let milliseconds = number * (unit?.milliseconds ?? 1000)
        guard milliseconds >= 1, milliseconds <= 86_400_000 else { return nil }
        duration = .milliseconds(milliseconds)
        description = text
    }
}
