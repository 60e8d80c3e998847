/// Numbers in a form for people.
package enum Format {
    /// A number with `digits` decimals: `1.017`.
    package static func fixed(_ number: Double, _ digits: Int) -> String {
        guard number.isFinite, number.magnitude < 1e15 else { return "\(number)" }
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int((number.magnitude * scale).rounded())
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int(scale))
        let sign = number < 0 && scaled != 0 ? "-" : ""
        return digits == 0
            ? "\(sign)\(whole)" : "\(sign)\(whole).\(padLeft("\(rest)", digits, "0"))"
    }

    /// A number with three significant digits: `1.21`, `12.1`, `121`.
    package static func significant(_ number: Double) -> String {
        fixed(number, number < 9.995 ? 2 : number < 99.95 ? 1 : 0)
    }

    /// A count; from 10 000 on, in thousands, millions or billions: `845 k`, `1.21 M`.
    package static func count(_ number: Double) -> String {
        switch number {
        case ..<9_999.5: fixed(number, 0)
        case ..<999_500: significant(number / 1e3) + " k"
        case ..<999_500_000: significant(number / 1e6) + " M"
        default: significant(number / 1e9) + " G"
        }
    }

    /// Nanoseconds in a suitable unit: `812 ns`, `1.90 us`.
    package static func time(_ nanoseconds: Double) -> String {
        let (scale, unit) = timeUnit(nanoseconds)
        return (scale == 1 ? fixed(nanoseconds, 0) : significant(nanoseconds / scale)) + " " + unit
    }

    /// Two durations in the unit that suits the first one: `812 / 830 ns`.
    package static func times(_ first: Double, _ second: Double) -> String {
        let (scale, unit) = timeUnit(first)
        return "\(significant(first / scale)) / \(significant(second / scale)) \(unit)"
    }

    private static func timeUnit(_ nanoseconds: Double) -> (scale: Double, unit: String) {
        switch nanoseconds {
        case ..<999.5: (1, "ns")
        case ..<999_500: (1e3, "us")
        case ..<999_500_000: (1e6, "ms")
        default: (1e9, "s")
        }
    }

    /// Bytes in binary units, without decimals for whole numbers: `256 MiB`.
    package static func bytes(_ count: Int) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] where count >= 1 << shift {
            let whole = count & (1 << shift - 1) == 0
            return (whole ? "\(count >> shift)" : significant(Double(count) / Double(1 << shift)))
                + " " + unit
        }
        return "\(count) B"
    }

    package static func padLeft(_ text: String, _ width: Int, _ pad: String = " ") -> String {
        String(repeating: pad, count: max(0, width - text.count)) + text
    }

    package static func padRight(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
