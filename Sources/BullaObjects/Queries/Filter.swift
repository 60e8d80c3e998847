/// Which objects a query selects.
///
/// Values are given as bytes that sort as the values of their type do, so a comparison decodes
/// nothing. Every condition is true or false. Nil equals only nil, and differs from every value; it
/// is neither less nor greater than any. The properties of a missing object are nil.
///
/// A `Way` leads from an object to a value: it is a ``Path`` in a store, and a ``ColumnPath`` in a
/// program.
package indirect enum FilterTree<Way: Sendable & Hashable>: Sendable, Hashable {
    case constant(Bool)
    case not(FilterTree)
    case all([FilterTree])
    case any([FilterTree])
    /// A test of the value at the end of a path.
    case test(Way, Test)
    /// A comparison of the values at the ends of two paths.
    case compare(Way, Comparison, Way)
    /// A filter for the elements of a list or a set, or for the objects that backlinks lead to.
    case elements(Way, Quantifier, FilterTree)
    /// A comparison of the number of such elements or objects with a given number.
    case count(Way, Comparison, Int)

    package typealias Comparison = FilterWord.Comparison
    package typealias Quantifier = FilterWord.Quantifier
    package typealias Folded = FilterWord.Folded

    package enum Test: Sendable, Hashable {
        case compare(Comparison, [UInt8])
        case oneOf(Set<[UInt8]>)
        case isNil
        /// Text or data that begins with these bytes; for `contains`, they can be anywhere in it.
        case hasPrefix([UInt8])
        case contains([UInt8])
        /// A comparison of text that ignores case; the text given here is already folded.
        case folded(Folded, String)
        /// A dictionary whose value for this key passes the filter; a missing key's value is nil.
        case entry([UInt8], FilterTree)
    }
}

/// The parts of filters that do not depend on the type of their paths.
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
    /// Whether the comparison holds for two values.
    ///
    /// - Parameter order: negative, zero or positive if the first value sorts before the second,
    ///   equals it, or sorts after it.
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

    /// Whether the comparison holds if one of the two values is nil or, with `both`, if both are.
    package func holdsOfNil(both: Bool) -> Bool {
        switch self {
        case .equal: both
        case .unequal: !both
        case .less, .atMost, .greater, .atLeast: false
        }
    }
}

extension FilterTree {
    /// The conditions whose conjunction is the filter.
    package var conditions: [FilterTree] {
        guard case .all(let filters) = self else { return [self] }
        return filters.flatMap(\.conditions)
    }
}

/// A filter whose paths consist of the numbers of the store's schema.
package typealias Filter = FilterTree<Path>

extension FilterTree {
    /// The same filter, except that each path is replaced by the path that `way` returns for it.
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
