extension FixedWidthInteger {
    /// Adds a count that a file claims, and so may be anything.
    mutating func saturate(adding claimed: Self) {
        let sum = addingReportingOverflow(claimed)
        self = sum.overflow ? .max : sum.partialValue
    }
}
