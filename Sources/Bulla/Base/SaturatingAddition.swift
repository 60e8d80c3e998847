extension FixedWidthInteger {
    /// Adds a count that a file claims, which can be any number; on overflow, the sum is the
    /// greatest value.
    mutating func saturate(adding claimed: Self) {
        let sum = addingReportingOverflow(claimed)
        self = sum.overflow ? .max : sum.partialValue
    }
}
