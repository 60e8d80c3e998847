/// Which objects a query selects.
///
/// Values are bytes, which sort as values of their type do, so that no value is decoded to be
/// compared. Conditions are true or false: nil equals nil alone, and differs from all else; it is
/// neither less nor greater than anything; what a missing object would have is nil.
///
/// A way leads from an object to a value: in a store a ``Path``, in a program a ``ColumnPath``.
package indirect enum FilterTree<Way: Sendable & Hashable>: Sendable, Hashable {
    case constant(Bool)
    case not(FilterTree)
    case all([FilterTree])
    case any([FilterTree])
    /// Of the value that a path leads to.
    case test(Way, Test)
    /// Of two of them.
    case compare(Way, Comparison, Way)
    /// Of the elements of a list, a set or what backlinks lead to.
    case elements(Way, Quantifier, FilterTree)
    /// Of how many there are.
    case count(Way, Comparison, Int)

    package typealias Comparison = FilterWord.Comparison
    package typealias Quantifier = FilterWord.Quantifier
    package typealias Folded = FilterWord.Folded

    package enum Test: Sendable, Hashable {
        case compare(Comparison, [UInt8])
        case oneOf(Set<[UInt8]>)
        case isNil
        /// Text or data that begins with these bytes, or has them somewhere.
        case hasPrefix([UInt8])
        case contains([UInt8])
        /// The same of text whose case does not count, as Unicode folds it; the text is folded.
        case folded(Folded, String)
        /// A dictionary has this key, and what is under it passes.
        case entry([UInt8], FilterTree)
    }
}

/// The words of filters, whatever the ways are.
package enum FilterWord {
    package enum Comparison: Sendable, Hashable {
        case equal, unequal, less, atMost, greater, atLeast
    }

    package enum Quantifier: Sendable, Hashable {
        case some, every, none
    }

    package enum Folded: Sendable, Hashable {
        case equal, prefix, contains
    }
}

extension FilterWord.Comparison {
    /// Whether it holds of two values that compare so: less than, equal to or greater than zero.
    package func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .unequal: order != 0
        case .less: order < 0
        case .atMost: order <= 0
        case .greater: order > 0
        case .atLeast: order >= 0
        }
    }

    /// Whether it holds where one of the two is nil, and perhaps the other.
    package func holdsOfNil(both: Bool) -> Bool {
        switch self {
        case .equal: both
        case .unequal: !both
        case .less, .atMost, .greater, .atLeast: false
        }
    }
}

extension FilterTree {
    /// Conditions that hold all together where the filter does.
    package var conditions: [FilterTree] {
        guard case .all(let filters) = self else { return [self] }
        return filters.flatMap(\.conditions)
    }
}

/// A filter as it lies in a store.
package typealias Filter = FilterTree<Path>

extension FilterTree {
    /// The same filter, of other ways.
    package func map<Other>(
        _ way: (Way) throws(ObjectError) -> Other
    ) throws(ObjectError) -> FilterTree<Other> {
        switch self {
        case .constant(let value): .constant(value)
        case .not(let filter): .not(try filter.map(way))
        case .all(let filters):
            .all(try filters.map { filter throws(ObjectError) in try filter.map(way) })
        case .any(let filters):
            .any(try filters.map { filter throws(ObjectError) in try filter.map(way) })
        case .test(let path, let test): .test(try way(path), try test.map(way))
        case .compare(let one, let comparison, let other):
            .compare(try way(one), comparison, try way(other))
        case .elements(let path, let quantifier, let filter):
            .elements(try way(path), quantifier, try filter.map(way))
        case .count(let path, let comparison, let count):
            .count(try way(path), comparison, count)
        }
    }
}

extension FilterTree.Test {
    fileprivate func map<Other>(
        _ way: (Way) throws(ObjectError) -> Other
    ) throws(ObjectError) -> FilterTree<Other>.Test {
        switch self {
        case .compare(let comparison, let bytes): .compare(comparison, bytes)
        case .oneOf(let values): .oneOf(values)
        case .isNil: .isNil
        case .hasPrefix(let bytes): .hasPrefix(bytes)
        case .contains(let bytes): .contains(bytes)
        case .folded(let folded, let text): .folded(folded, text)
        case .entry(let key, let filter): .entry(key, try filter.map(way))
        }
    }
}
