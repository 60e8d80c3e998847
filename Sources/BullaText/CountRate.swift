/// How fast a count grows.
package enum CountRate {
    /// - Parameters:
    ///   - former: the count at the beginning.
    ///   - latter: the count at the end.
    ///   - time: the time from the beginning to the end.
    /// - Returns: the increase of the count per second; 0 if the count decreased; `nil` if no time
    ///   has passed.
    package static func perSecond(
        from former: Int, to latter: Int, within time: Duration
    ) -> Double? {
        guard time > .zero else { return nil }
        guard latter > former else { return 0 }
        // Subtract floating-point numbers: another process writes the counts, and if they are
        // wrong, the difference of the integers could overflow.
        return (Double(latter) - Double(former)) / (time / .seconds(1))
    }
}
