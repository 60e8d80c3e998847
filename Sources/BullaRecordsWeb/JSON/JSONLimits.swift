/// The limits of a JSON reader.
package struct JSONLimits: Hashable, Sendable {
    /// The maximum length of a text in bytes.
    package let byteLimit: Int
    /// The deepest nesting of arrays and objects.
    package let depthLimit: Int
    /// The maximum number of values and keys in a text; each takes 16 bytes of memory.
    package let valueLimit: Int
    /// The maximum number of characters in a number: enough for any double with all its digits.
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
