/// How fast a count grows.
package enum CountRate {
    /// - Parameters:
    ///   - former: the count at the beginning.
    ///   - latter: the count at the end.
    ///   - time: how long it took.
    /// - Returns: how much was counted in a second; 0 if the count went back; `nil` if no time has
    ///   passed.
    package static func perSecond(
        from former: Int, to latter: Int, within time: Duration
    ) -> Double? {
        guard time > .zero else { return nil }
        guard latter > former else { return 0 }
        // Subtracts numbers that cannot overflow: another process writes the counts.
        return (Double(latter) - Double(former)) / (time / .seconds(1))
    }
}
