/// A separately sealed property, as an argument of ``ObjectReader/history(_:key:of:)``.
///
/// Comparing it, sorting by it or searching for it does not compile.
public struct SealedColumn<Root: Model, Value: Sealable>: Sendable {
    let ordinal: Int
    let isContent: Bool

    /// The property with this ordinal, in the order of declaration.
    public init(_ ordinal: Int) { (self.ordinal, isContent) = (ordinal, false) }

    /// The property with this ordinal among those that the model seals together.
    public init(sealed ordinal: Int) { (self.ordinal, isContent) = (ordinal, true) }
}
