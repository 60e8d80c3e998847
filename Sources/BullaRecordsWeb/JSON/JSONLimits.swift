/// What a reader of JSON takes at most, whatever the text claims.
package struct JSONLimits: Hashable, Sendable {
    /// Bytes of a text.
    package let byteLimit: Int
    /// How many arrays and objects may be open at once.
    package let depthLimit: Int
    /// Values and keys of a text; each takes 16 bytes of memory while the text is looked at.
    package let valueLimit: Int
    /// Characters of a number: enough for any double written out with all its digits.
    package let numberByteLimit: Int

    package init(
        byteLimit: Int = 16 << 20, depthLimit: Int = 64, valueLimit: Int = 1_000_000,
        numberByteLimit: Int = 1_100
    ) {
        precondition(byteLimit < UInt32.max && valueLimit < UInt32.max, "places fit in 32 bits")
        self.byteLimit = byteLimit
        self.depthLimit = depthLimit
        self.valueLimit = valueLimit
        self.numberByteLimit = numberByteLimit
    }
}
