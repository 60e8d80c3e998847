extension UInt64 {
    /// The difference, or zero where it would be below it.
    func subtractingOrZero(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
