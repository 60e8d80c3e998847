/// Shares as people write them.
package enum Percent {
    /// `10%`, `10` and `2.5` percent, as a share of one; nil for anything else.
    package static func parsed(_ text: String) -> Double? {
        let number = Double(text.hasSuffix("%") ? text.dropLast() : text[...])
        return number.flatMap { $0.isFinite ? $0 / 100 : nil }
    }
}
