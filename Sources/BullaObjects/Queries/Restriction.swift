internal import BullaMemory

/// What a filter demands of one property, as far as keys can show it.
///
/// A restriction may let through too many objects, but never too few: the filter is applied to the
/// found objects afterwards.
package enum Restriction: Sendable, Hashable {
    /// One of these values; nil stands for a missing value.
    case oneOf([[UInt8]?])
    /// Not nil, and within the two bounds; a bound that is nil does not restrict.
    case between(Bound?, Bound?)
    /// Text or data with this prefix.
    case prefix([UInt8])

    package struct Bound: Sendable, Hashable {
        let value: [UInt8]
        let isIncluded: Bool
    }

    /// The restriction that several demands on one property impose together.
    ///
    /// - Parameter isMany: whether the property is a list or a set. If so, each demand may be met
    ///   by a different element, so only the first demand counts.
    init?(joining demands: [Restriction], isMany: Bool) {
        guard let first = demands.first else { return nil }
        self = isMany ? first : demands.dropFirst().reduce(first) { $0.joined($1) }
    }

    /// The demands that conditions make on a property, each with the position of its condition.
    ///
    /// - Parameter isMany: whether the property is a list or a set; if so, each demand concerns one
    ///   of its elements.
    static func demands(
        of property: Int, isMany: Bool, in conditions: [Filter]
    ) -> [(place: Int, restriction: Restriction)] {
        conditions.enumerated().compactMap { place, condition in
            demand(of: condition, property, isMany: isMany).map { (place, $0) }
        }
    }

    /// A restriction that lets through every value that meets both restrictions.
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

    /// Whether one restriction gives only a lower bound, and the other only an upper bound.
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
            // For conditions such as `a == 1 || a == 2`.
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
