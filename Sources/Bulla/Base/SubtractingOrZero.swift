extension UInt64 {
    /// The difference, or zero if it would be negative.
    func subtractingOrZero(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
