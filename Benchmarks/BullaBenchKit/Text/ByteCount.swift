/// Numbers of bytes as people write them.
package enum ByteCount {
    /// The shortest text from which ``parsed(_:)`` makes `count`.
    package static func text(_ count: Int) -> String {
        for (shift, unit) in [(30, "G"), (20, "M"), (10, "K")]
        where count > 0 && count % (1 << shift) == 0 {
            return "\(count >> shift)\(unit)"
        }
        return "\(count)"
    }

    /// `4096`, `64K`, `256M`, `1G`; nil for anything else, and for more than there can be.
    package static func parsed(_ text: String) -> Int? {
        let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
        guard let last = text.last, let shift = shifts[last] ?? (last.isNumber ? 0 : nil),
            let number = Int(shift == 0 ? text[...] : text.dropLast()), number >= 0
        else { return nil }
        let (count, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
        return overflow ? nil : count
    }
}
