internal import BullaMemory

/// A tree that objects can be found in, in the order of its keys: the model's own, or an index.
package struct AccessPath: Sendable {
    /// None for the model's own tree.
    package let index: IndexTable?
    package let parts: [IndexTable.Part]
    /// What of it a filter leaves to be looked at; the whole where it demands nothing of it.
    package let bounds: [Bounds]
    /// So many of its parts have one value each in all of it.
    package let fixedCount: Int
    /// So many parts the filter demands something of.
    package let usedCount: Int
    /// The conditions, by their places, of which the bounds leave nothing to be asked.
    let fulfilled: Set<Int>

    /// Whether the filter names the values of all those parts, and no stretch of them.
    private let isOfValues: Bool

    /// No filter makes more bounds than this.
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

    /// Whether an object is found in it as often as the value of a list's elements is.
    package var repeatsObjects: Bool { index?.repeatsObjects ?? false }

    /// Whether objects are missing in it that may fit: one has no entry where a list is empty,
    /// and the filter demands nothing of that list.
    package var lacksObjects: Bool { parts.dropFirst(usedCount).contains { $0.isMany } }

    /// Whether each key of it is an object's, and the filter names them one by one.
    package var isOfPoints: Bool {
        guard isOfValues, usedCount == parts.count else { return false }
        guard let index else { return true }
        // Nil is no value, and stands in as many entries as there are objects without one.
        return index.isUnique && parts.allSatisfy { !$0.isOptional }
    }
}

extension IndexTable.Part {
    fileprivate func appended(_ value: [UInt8]?, to key: OrderedKey, _ limit: Int) -> OrderedKey {
        guard let value else { return appended(nil as ByteView?, to: key, cutAt: limit) }
        return value.withView { appended($0, to: key, cutAt: limit) }
    }

    /// The places of those demands that the bounds made of them meet to the letter.
    fileprivate func fulfilled(
        by demands: [(place: Int, restriction: Restriction)], _ limit: Int
    ) -> [Int] {
        guard !isMany, demands.allSatisfy({ isExact($0.restriction, limit) }) else { return [] }
        switch demands.map(\.restriction) {
        // One end each, as in `a >= 1 && a < 5`.
        case let ends where ends.count == 2 && Restriction.areTwoEnds(ends[0], ends[1]):
            return demands.map(\.place)
        case let one where one.count == 1: return demands.map(\.place)
        default: return []
        }
    }

    /// Whether keys show all that a restriction asks: text that is cut does not.
    private func isExact(_ restriction: Restriction, _ limit: Int) -> Bool {
        guard isText else { return true }
        return switch restriction {
        case .oneOf(let values): values.allSatisfy { ($0?.count ?? 0) < limit }
        case .between(let low, let high):
            (low?.value.count ?? 0) < limit && (high?.value.count ?? 0) < limit
        case .prefix(let text): text.count <= limit
        }
    }

    /// The keys that go on with what a restriction demands.
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
                // What a longer text is cut to is that of texts on either side.
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
    /// The parts of an object's key, as if it were an index.
    package var keyParts: [IndexTable.Part] {
        zip(model.key, layout.key).map { number, type in
            IndexTable.Part(ofKey: number, type)
        }
    }
}
