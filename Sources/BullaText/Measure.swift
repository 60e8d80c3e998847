internal import Glibc

/// Numbers with their units, for a page.
package enum Measure {
    package static let unknown = "\u{2013}"

    package static func time(_ nanoseconds: Double) -> String {
        guard nanoseconds.isFinite else { return unknown }
        return Format.time(nanoseconds).replacing(" us", with: " \u{B5}s")
    }

    package static func bytes(_ count: UInt64?) -> String {
        count.map { Format.bytes(Int(clamping: $0)) } ?? unknown
    }

    /// A rate per second: bytes in binary units, other units with decimals if the rate is small.
    package static func rate(_ rate: Double, of unit: String) -> String {
        guard rate.isFinite else { return unknown }
        if unit == "bytes" { return Format.bytes(Int(min(max(rate, 0), 1e18))) + "/s" }
        return (rate < 99.95 ? Format.significant(rate) : Format.count(rate)) + "/s"
    }

    /// For an axis of rates: its title, and how many of `unit` make one unit of the axis.
    package static func axis(of unit: String) -> (scale: Double, title: String) {
        unit == "bytes" ? (0x1p20, "MiB per second") : (1, unit + " per second")
    }

    /// A ratio for comparison: three decimals below ten, three significant digits above.
    package static func ratio(_ ratio: Double) -> String {
        ratio >= 9.9995 ? Format.significant(ratio) : Format.fixed(ratio, 3)
    }

    /// A ratio of times as a cost: `+3.4 %`, `-1.0 %`, and from 2 on as a factor, `x 12.1`.
    package static func cost(_ ratio: Double) -> String {
        guard ratio < 2 else { return "\u{D7}\u{202F}" + Format.significant(ratio) }
        let text = Format.fixed((ratio - 1).magnitude * 100, 1) + "\u{A0}%"
        return ratio < 1 ? "\u{2212}" + text : "+" + text
    }

    /// An interval such as `1.000 - 1.034`, with an en dash.
    package static func interval(_ lower: Double, _ upper: Double) -> String {
        "\(ratio(lower)) \u{2013} \(ratio(upper))"
    }

    package static func percent(_ share: Double) -> String {
        Format.fixed(share * 100, 1) + "\u{A0}%"
    }

    /// A number with `digits` decimals; a single decimal is omitted if it is zero.
    package static func short(_ number: Double, _ digits: Int) -> String {
        let text = Format.fixed(number, digits)
        return digits == 1 && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// The label of a tick on a linear axis; `greatest`, the end of the axis, determines the unit.
    package static func tick(_ number: Double, of greatest: Double) -> String {
        let (scale, unit) =
            greatest >= 1e9
            ? (1e9, " G") : greatest >= 1e6 ? (1e6, " M") : greatest >= 1e4 ? (1e3, " k") : (1, "")
        if number == 0 { return "0" }
        let digits = max(0, min(3, 1 - Int(floor(log10(max(greatest / scale, 1e-6))))))
        return short(number / scale, digits) + unit
    }

    /// The label of a tick on a logarithmic axis, for 1, 2 or 5 times a power of ten nanoseconds.
    package static func tick(nanoseconds: Double) -> String {
        let (scale, unit) =
            nanoseconds >= 1e9
            ? (1e9, "s")
            : nanoseconds >= 1e6 ? (1e6, "ms") : nanoseconds >= 1e3 ? (1e3, "\u{B5}s") : (1, "ns")
        return Format.fixed(nanoseconds / scale, 0) + " " + unit
    }
}
