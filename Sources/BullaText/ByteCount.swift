/// A byte count as people write it: `4096`, `64K`, `256M`, `1G`.
package struct ByteCount: LosslessStringConvertible, Sendable {
    package var count: Int

    package init(_ count: Int) { self.count = count }

    /// Returns nil if the text is not a byte count, or if it is too large.
    package init?(_ text: String) {
        let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        guard let last = text.last, let shift = shifts[last] ?? (last.isNumber ? 0 : nil),
            let number = Int(shift == 0 ? text[...] : text.dropLast()), number >= 0
        else { return nil }
        let (count, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
        if overflow { return nil }
        self.count = count
    }

    /// The shortest text for the count.
    package var description: String {
        for (shift, unit) in [(30, "G"), (20, "M"), (10, "K")]
        where count > 0 && count % (1 << shift) == 0 {
            return "\(count >> shift)\(unit)"
        }
        return "\(count)"
    }
}

/// A share in percent, as people write it: `10%`, `10` or `2.5`.
package struct Percent: LosslessStringConvertible, Sendable {
    package var share: Double

    package init(_ share: Double) { self.share = share }

    package init?(_ text: String) {
        let number = Double(text.hasSuffix("%") ? text.dropLast() : text[...])
        guard let number, number.isFinite else { return nil }
        share = number / 100
    }

    package var description: String { Format.fixed(share * 100, 1) + "%" }
}
