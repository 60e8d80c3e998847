internal import BullaMemory

/// A comparison of one of an object's own properties with a value; most filters consist of these.
///
/// If the object holds the property's bytes unencoded, the test compares them where they are, and
/// follows no path.
struct PlainTest: Sendable {
    let condition: Filter
    private let number: Int
    private let comparison: Filter.Comparison
    private let bytes: [UInt8]

    /// Returns `nil` if the condition is no comparison of this kind.
    init?(_ condition: Filter) {
        guard case .test(let path, .compare(let comparison, let bytes)) = condition,
            path.steps.count == 1, case .property(let number) = path.steps[0]
        else { return nil }
        (self.condition, self.number) = (condition, number)
        (self.comparison, self.bytes) = (comparison, bytes)
    }

    /// Whether the comparison holds; `nil` if only ``FilterRun`` can tell.
    func holds(of object: ObjectBytes, _ layout: ObjectLayout) -> Bool? {
        guard let value = layout.plainValue(number, of: object) else { return nil }
        return comparison.holds(bytes.withView { value.compare($0) })
    }
}
