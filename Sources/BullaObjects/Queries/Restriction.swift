internal import BullaMemory

/// What a filter demands of one property, as far as keys can show it.
///
/// The filter is asked about all that is found besides, so that this may be too much, but never too
/// little.
package enum Restriction: Sendable, Hashable {
    /// One of these values; a missing one is nil.
    case oneOf([[UInt8]?])
    /// Not nil, and from the one to the other, where they are given.
    case between(Bound?, Bound?)
    /// Text or data that begins so.
    case prefix([UInt8])

    package struct Bound: Sendable, Hashable {
        let value: [UInt8]
        let isIncluded: Bool
    }

    /// What several demand together that hold all of one property.
    ///
    /// - Parameter isMany: whether it is one of a list's elements that is meant: then each may be
    ///   met by another element, and the first one counts.
    init?(joining demands: [Restriction], isMany: Bool) {
        guard let first = demands.first else { return nil }
        self = isMany ? first : demands.dropFirst().reduce(first) { $0.joined($1) }
    }

    /// What conditions demand of a property, each with its place among them.
    ///
    /// - Parameter isMany: whether it is one of a list's elements that is meant.
    static func demands(
        of property: Int, isMany: Bool, in conditions: [Filter]
    ) -> [(place: Int, restriction: Restriction)] {
        conditions.enumerated().compactMap { place, condition in
            demand(of: condition, property, isMany: isMany).map { (place, $0) }
        }
    }

    /// What all of them demand together, or the stronger of the two.
    private func joined(_ other: Restriction) -> Restriction {
        switch (self, other) {
        case (.oneOf(let one), .oneOf(let other)): .oneOf(one.filter(other.contains))
        case (.oneOf, _): self
        case (_, .oneOf): other
        case (.prefix, _): self
        case (_, .prefix): other
        case (.between(let low, let high), .between(let otherLow, let otherHigh)):
            .between(otherLow ?? low, otherHigh ?? high)
        }
    }

    /// Whether one says where values begin, and the other where they end.
    static func areTwoEnds(_ one: Restriction, _ other: Restriction) -> Bool {
        switch (one, other) {
        case (.between(.some, nil), .between(nil, .some)),
            (.between(nil, .some), .between(.some, nil)):
            true
        default: false
        }
    }

    private static func demand(
        of condition: Filter, _ property: Int, isMany: Bool
    ) -> Restriction? {
        switch condition {
        case .test(let path, let test) where !isMany && path == Path(property):
            return demand(of: test)
        case .elements(let path, .some, .test(.element, let test))
        where isMany && path == Path(property):
            return demand(of: test)
        case .any(let conditions):
            // As in `a == 1 || a == 2`.
            var values: [[UInt8]?] = []
            for condition in conditions {
                let demand = demand(of: condition, property, isMany: isMany)
                guard case .oneOf(let others) = demand else { return nil }
                values += others
            }
            return .oneOf(values)
        default: return nil
        }
    }

    private static func demand(of test: Filter.Test) -> Restriction? {
        switch test {
        case .compare(.equal, let value): .oneOf([value])
        case .compare(.less, let value): .between(nil, Bound(value: value, isIncluded: false))
        case .compare(.atMost, let value): .between(nil, Bound(value: value, isIncluded: true))
        case .compare(.greater, let value): .between(Bound(value: value, isIncluded: false), nil)
        case .compare(.atLeast, let value): .between(Bound(value: value, isIncluded: true), nil)
        case .oneOf(let values): .oneOf(values.map { $0 })
        case .isNil: .oneOf([nil])
        case .hasPrefix(let bytes): .prefix(bytes)
        case .compare(.unequal, _), .contains, .folded, .entry: nil
        }
    }
}
