/// A property that is sealed by itself, as ``ObjectReading/history(_:key:of:)`` names it.
///
/// Nothing compares it, sorts by it or finds objects by it: that does not compile.
public struct SealedColumn<Root: Model, Value: Sealable>: Sendable {
    let ordinal: Int
    let isContent: Bool

    /// The property of an ordinal, in the order of declaration.
    public init(_ ordinal: Int) { (self.ordinal, isContent) = (ordinal, false) }

    /// The property of an ordinal among those that the model seals together.
    public init(sealed ordinal: Int) { (self.ordinal, isContent) = (ordinal, true) }
}
