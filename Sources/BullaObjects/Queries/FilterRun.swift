internal import Bulla
package import BullaMemory

/// Applies a filter to objects.
package final class FilterRun: Sendable {
    /// Where a path begins.
    private enum Subject {
        case object(ObjectBytes, ObjectLayout)
        case value(ByteView?)
    }

    private let tables: ObjectTables
    /// The tests to make first, because they cost least.
    private let plain: [PlainTest]
    private let rest: [Filter]

    package init(_ filter: Filter, _ tables: ObjectTables) {
        self.tables = tables
        let conditions = filter.conditions
        plain = conditions.compactMap { PlainTest($0) }
        rest = conditions.filter { PlainTest($0) == nil }
    }

    /// Whether the filter selects an object; makes the tests of the object's own properties first,
    /// because they cost least.
    ///
    /// - Complexity: one read of each property that the filter names; one lookup for each link.
    package func selects<Source: ObjectReader & ~Copyable>(
        _ object: ObjectBytes, of table: ObjectTable, _ source: borrowing Source
    ) throws(ObjectError) -> Bool {
        let layout = table.layout
        switch plainTestsHold(of: object, layout) {
        case true?: break
        case false?: return false
        case nil:
            for test in plain
            where try !holds(test.condition, of: .object(object, layout), source) {
                return false
            }
        }
        for filter in rest where try !holds(filter, of: .object(object, layout), source) {
            return false
        }
        return true
    }

    /// Whether all plain tests hold; stops and returns `nil` at a test that cannot be decided
    /// without following its path.
    private func plainTestsHold(of object: ObjectBytes, _ layout: ObjectLayout) -> Bool? {
        for place in plain.indices {
            guard let holds = plain[place].holds(of: object, layout) else { return nil }
            guard holds else { return false }
        }
        return true
    }

    /// A copy of the value at the end of a path; `nil` if the value is nil.
    package func value<Source: ObjectReader & ~Copyable>(
        _ path: Path, of object: ObjectBytes, in table: ObjectTable, _ source: borrowing Source
    ) throws(ObjectError) -> [UInt8]? {
        var bytes: [UInt8]?
        _ = try withValue(path.steps[...], .object(object, table.layout), source) { value in
            bytes = value?.copied()
            return true
        }
        return bytes
    }

    private func holds<Source: ObjectReader & ~Copyable>(
        _ filter: Filter, of subject: Subject, _ source: borrowing Source
    ) throws(ObjectError) -> Bool {
        switch filter {
        case .constant(let value): return value
        case .not(let filter): return try !holds(filter, of: subject, source)
        case .all(let filters):
            for filter in filters where try !holds(filter, of: subject, source) { return false }
            return true
        case .any(let filters):
            for filter in filters where try holds(filter, of: subject, source) { return true }
            return false
        case .test(let path, let test):
            return try withValue(path.steps[...], subject, source) { value throws(ObjectError) in
                try passes(test, value, source)
            }
        case .compare(let one, let comparison, let other):
            return try compare(one, comparison, other, subject, source)
        case .elements(let path, let quantifier, let filter):
            return try quantify(path, quantifier, filter, subject, source)
        case .count(let path, let comparison, let count):
            var found = 0
            try forEachElement(path, subject, source) { _ in
                found += 1
                return .next
            }
            return comparison.holds(found < count ? -1 : found > count ? 1 : 0)
        }
    }

    private func compare<Source: ObjectReader & ~Copyable>(
        _ one: Path, _ comparison: Filter.Comparison, _ other: Path, _ subject: Subject,
        _ source: borrowing Source
    ) throws(ObjectError) -> Bool {
        try withValue(one.steps[...], subject, source) { one throws(ObjectError) in
            try withValue(other.steps[...], subject, source) { other in
                guard let one, let other else {
                    return comparison.holdsOfNil(both: one == nil && other == nil)
                }
                return comparison.holds(one.compare(other))
            }
        }
    }

    private func quantify<Source: ObjectReader & ~Copyable>(
        _ path: Path, _ quantifier: Filter.Quantifier, _ filter: Filter, _ subject: Subject,
        _ source: borrowing Source
    ) throws(ObjectError) -> Bool {
        // Stop at the first element that decides: for `every`, one that does not meet the filter;
        // for `some` and `none`, one that does.
        var isDecided = false
        try forEachElement(path, subject, source) { element throws(ObjectError) in
            let passes = try holds(filter, of: .value(element), source)
            isDecided = passes != (quantifier == .every)
            return isDecided ? .stop : .next
        }
        return quantifier == .some ? isDecided : !isDecided
    }

    private func passes<Source: ObjectReader & ~Copyable>(
        _ test: Filter.Test, _ value: ByteView?, _ source: borrowing Source
    ) throws(ObjectError) -> Bool {
        guard let value else {
            return switch test {
            case .compare(let comparison, _): comparison.holdsOfNil(both: false)
            case .isNil: true
            case .oneOf, .hasPrefix, .contains, .folded, .entry: false
            }
        }
        switch test {
        case .compare(let comparison, let bytes):
            return comparison.holds(bytes.withView { value.compare($0) })
        case .oneOf(let values): return values.contains(value.copied())
        case .isNil: return false
        case .hasPrefix(let bytes):
            return bytes.withView { value.slice(0, $0.byteCount) == $0 }
        case .contains(let bytes): return bytes.withView { value.contains($0) }
        case .folded(let folded, let text): return folded.holds(value.text.folded, text)
        case .entry(let key, let filter):
            return try withEntry(key, of: value) { value throws(ObjectError) in
                try holds(filter, of: .value(value), source)
            }
        }
    }

    /// Lends a key's value in a dictionary; if the dictionary does not have the key, lends nil.
    private func withEntry(
        _ key: [UInt8], of dictionary: ByteView,
        _ body: (ByteView?) throws(ObjectError) -> Bool
    ) throws(ObjectError) -> Bool {
        var elements = ElementReader(dictionary)
        while let name = elements.next(), let value = elements.next() {
            if key.withView({ $0 == name }) { return try body(value) }
        }
        guard !elements.isDamaged else { throw Self.damagedList }
        return try body(nil)
    }
}

/// Following paths.
extension FilterRun {
    /// Lends the value at the end of a path; if an object on the path is missing, lends nil.
    private func withValue<Source: ObjectReader & ~Copyable>(
        _ steps: ArraySlice<Path.Step>, _ subject: Subject, _ source: borrowing Source,
        _ body: (ByteView?) throws(ObjectError) -> Bool
    ) throws(ObjectError) -> Bool {
        let rest = steps.dropFirst()
        switch (steps.first, subject) {
        case (nil, .value(let value)): return try body(value)
        case (.property(let number), .object(let object, let layout)):
            return try layout.withValue(number, of: object) { value throws(ObjectError) in
                try withValue(rest, .value(value), source, body)
            }
        case (.embedded(let number), .value(let value?)):
            guard let type = tables.embedded(number), let row = Row(value) else {
                throw ObjectError(.damaged, "read an embedded value: the stored bytes are damaged")
            }
            let object = ObjectBytes(key: emptyView, row: row)
            return try withValue(rest, .object(object, type), source, body)
        case (.link(let number), .value(let key?)):
            guard let table = tables[number],
                let row = try source.row(key, in: table)
            else { return try body(nil) }
            return try row.withView { row throws(ObjectError) in
                let object = try table.object(key, row)
                return try withValue(rest, .object(object, table.layout), source, body)
            }
        default: return try body(nil)
        }
    }

    /// Lends the elements of the list, or the keys of the backlinks, at the end of a path.
    private func forEachElement<Source: ObjectReader & ~Copyable>(
        _ path: Path, _ subject: Subject, _ source: borrowing Source,
        _ body: (ByteView) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        guard case .backlinks(let model, let index) = path.steps.last else {
            _ = try withValue(path.steps[...], subject, source) { value throws(ObjectError) in
                guard let value else { return false }
                var elements = ElementReader(value)
                while let element = elements.next() {
                    guard try body(element) == .next else { return true }
                }
                guard !elements.isDamaged else { throw Self.damagedList }
                return true
            }
            return
        }
        guard let index = tables[model]?.indexes.first(where: { $0.number == index }) else {
            throw ObjectError(.invalidModel, "use a condition: no index has its backlinks")
        }
        try withTarget(path.steps.dropLast(), subject, source) { target throws(ObjectError) in
            for key in try source.keys(referringTo: target, by: index) {
                let step = try key.withView { key throws(ObjectError) in try body(key) }
                guard step == .next else { return }
            }
        }
    }

    /// Lends the key of the object whose backlinks are followed: the current object, or the one
    /// that a link leads to.
    private func withTarget<Source: ObjectReader & ~Copyable>(
        _ steps: ArraySlice<Path.Step>, _ subject: Subject, _ source: borrowing Source,
        _ body: (ByteView) throws(ObjectError) -> Void
    ) throws(ObjectError) {
        guard case .link = steps.last else {
            guard steps.isEmpty, case .object(let object, _) = subject else {
                throw ObjectError(.invalidModel, "use a condition: only an object has backlinks")
            }
            return try body(object.key)
        }
        _ = try withValue(steps.dropLast(), subject, source) { key throws(ObjectError) in
            if let key { try body(key) }
            return true
        }
    }

    private static var damagedList: ObjectError {
        ObjectError(.damaged, "read a list: the stored bytes are damaged")
    }
}

extension FilterWord.Folded {
    fileprivate func holds(_ text: String, _ other: String) -> Bool {
        switch self {
        case .equal: text.utf8.elementsEqual(other.utf8)
        case .prefix: text.utf8.starts(with: other.utf8)
        case .contains:
            Array(text.utf8).withView { text in Array(other.utf8).withView { text.contains($0) } }
        }
    }
}

extension String {
    /// The text in lower case, for comparison: `uppercased()`, then `lowercased()`.
    package var folded: String { uppercased().lowercased() }
}

extension ByteView {
    /// Whether the other bytes occur anywhere in these.
    package func contains(_ other: ByteView) -> Bool {
        guard other.byteCount <= byteCount else { return false }
        for offset in 0...byteCount - other.byteCount
        where slice(offset, other.byteCount) == other {
            return true
        }
        return false
    }
}
