internal import BullaMemory

/// A way to find objects in the order of a tree's keys: through the model's own tree, or an index.
package struct AccessPath: Sendable {
    /// The index; nil for the model's own tree.
    package let index: IndexTable?
    package let parts: [IndexTable.Part]
    /// The ranges of the tree that the filter does not rule out; the whole tree if the filter
    /// restricts no part.
    package let bounds: [Bounds]
    /// How many of the leading parts have the same value in all of these ranges.
    package let fixedCount: Int
    /// How many of the leading parts the bounds restrict.
    package let usedCount: Int
    /// The positions of the conditions that every entry within the bounds meets.
    let fulfilled: Set<Int>

    /// Whether the filter gives values, not ranges, for all restricted parts.
    private let isOfValues: Bool

    /// The maximum number of bounds that a path can have.
    private static let boundsLimit = 256

    package init(_ table: ObjectTable, _ index: IndexTable?, where conditions: [Filter]) {
        self.index = index
        parts = index?.parts ?? table.keyParts
        let limit = index?.textByteLimit ?? .max
        var keys = [OrderedKey()]
        var (fixed, used, isExact) = (0, 0, true)
        var bounds: [Bounds]?
        var fulfilled: Set<Int> = []
        for part in parts {
            let demands = Restriction.demands(
                of: part.property, isMany: part.isMany, in: conditions)
            guard
                let restriction = Restriction(
                    joining: demands.map(\.restriction), isMany: part.isMany)
            else { break }
            guard case .oneOf(let all) = restriction else {
                used += 1
                fulfilled.formUnion(part.fulfilled(by: demands, limit))
                isExact = false
                bounds = keys.map { part.bounds(restriction, after: $0, limit) }
                break
            }
            let values = all.filter { $0 != nil || part.isOptional }
            guard keys.count * values.count <= Self.boundsLimit else { break }
            keys = keys.flatMap { key in values.map { part.appended($0, to: key, limit) } }
            if fixed == used, values.count == 1 { fixed += 1 }
            used += 1
            fulfilled.formUnion(part.fulfilled(by: demands, limit))
        }
        self.fulfilled = fulfilled
        self.bounds = bounds ?? keys.map { Bounds(prefix: $0.bytes) }
        (fixedCount, usedCount) = (fixed, used)
        isOfValues = isExact
    }

    /// Whether an object can have several entries: one for each element of a list.
    package var repeatsObjects: Bool { index?.repeatsObjects ?? false }

    /// Whether a matching object can be missing from the index.
    ///
    /// An object whose list is empty has no entry. If the filter restricts that list, such an
    /// object does not match anyway.
    package var lacksObjects: Bool { parts.dropFirst(usedCount).contains { $0.isMany } }

    /// Whether each of the bounds contains at most one entry, except where unequal texts are
    /// truncated to the same bytes.
    package var isOfPoints: Bool {
        guard isOfValues, usedCount == parts.count else { return false }
        guard let index else { return true }
        // Several objects can have an entry with nil, even in a unique index.
        return index.isUnique && parts.allSatisfy { !$0.isOptional }
    }
}

extension IndexTable.Part {
    fileprivate func appended(_ value: [UInt8]?, to key: OrderedKey, _ limit: Int) -> OrderedKey {
        guard let value else { return appended(nil as ByteView?, to: key, cutAt: limit) }
        return value.withView { appended($0, to: key, cutAt: limit) }
    }

    /// The positions of the conditions that make these demands on the part; empty if the bounds
    /// alone cannot decide exactly whether a value meets all of the demands.
    fileprivate func fulfilled(
        by demands: [(place: Int, restriction: Restriction)], _ limit: Int
    ) -> [Int] {
        guard !isMany, demands.allSatisfy({ isExact($0.restriction, limit) }) else { return [] }
        switch demands.map(\.restriction) {
        // One bound at each end, as in `a >= 1 && a < 5`.
        case let ends where ends.count == 2 && Restriction.areTwoEnds(ends[0], ends[1]):
            return demands.map(\.place)
        case let one where one.count == 1: return demands.map(\.place)
        default: return []
        }
    }

    /// Whether keys alone can decide a restriction.
    ///
    /// They cannot if a text of the restriction is too long, because keys contain only the
    /// beginnings of long texts.
    private func isExact(_ restriction: Restriction, _ limit: Int) -> Bool {
        guard isText else { return true }
        return switch restriction {
        case .oneOf(let values): values.allSatisfy { ($0?.count ?? 0) < limit }
        case .between(let low, let high):
            (low?.value.count ?? 0) < limit && (high?.value.count ?? 0) < limit
        case .prefix(let text): text.count <= limit
        }
    }

    /// The range of the keys that begin with `key` and meet a restriction.
    fileprivate func bounds(
        _ restriction: Restriction, after key: OrderedKey, _ limit: Int
    ) -> Bounds {
        var present = key
        if isOptional { present.appendPresent() }
        switch restriction {
        case .prefix(let text):
            text.withView { present.appendPrefix($0.slice(0, min($0.byteCount, limit))) }
            return Bounds(prefix: present.bytes)
        case .between(let low, let high):
            var (lower, upper) = (present.bytes, Bounds.after(present.bytes))
            if let low {
                let edge = appended(low.value, to: key, limit).bytes
                // If the bound is at least as long as the limit, texts above and below the bound
                // may be truncated to the same bytes as the bound, so the range includes these
                // bytes.
                let isWhole = low.isIncluded || isText && low.value.count >= limit
                guard let start = isWhole ? edge : Bounds.after(edge) else { return .none }
                lower = start
            }
            if let high {
                let edge = appended(high.value, to: key, limit).bytes
                let isWhole = high.isIncluded || isText && high.value.count > limit
                upper = (isWhole ? Bounds.after(edge) : edge) ?? upper
            }
            return Bounds(from: lower, upTo: upper)
        case .oneOf: return Bounds(prefix: key.bytes)
        }
    }
}

extension ObjectTable {
    /// The parts of an object's key, in the form of index parts.
    package var keyParts: [IndexTable.Part] {
        zip(model.key, layout.key).map { number, type in
            IndexTable.Part(ofKey: number, type)
        }
    }
}
