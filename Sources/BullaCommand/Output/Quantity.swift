/// Writes numbers for people.
enum Quantity {
    private static let units: [(unit: String, bytes: UInt64)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
    ]

    /// A byte count such as `61.2 MiB`.
    static func bytes(_ count: some BinaryInteger) -> String {
        guard let unit = units.first(where: { count >= $0.bytes }) else {
            return "\(count) bytes"
        }
        return "\(decimal(Double(count) / Double(unit.bytes))) \(unit.unit)"
    }

    /// A count with its noun, such as `1 record` or `2 records`.
    static func count(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil)
        -> String
    {
        "\(count) " + (count == 1 ? noun : plural ?? noun + "s")
    }

    /// A number with one digit after the point.
    static func decimal(_ number: Double) -> String {
        let tenths = UInt64((max(number, 0) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension FixedWidthInteger {
    /// Adds a count that a store claims; an overflow gives the maximum.
    ///
    /// The claim may be any number.
    mutating func add(_ claimed: Self) {
        let sum = addingReportingOverflow(claimed)
        self = sum.overflow ? .max : sum.partialValue
    }
}
