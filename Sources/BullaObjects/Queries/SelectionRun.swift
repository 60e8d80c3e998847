package import Bulla
internal import BullaMemory

/// Finds the objects that a query selects.
package struct SelectionRun {
    private let selection: Selection
    private let table: ObjectTable
    private let tables: ObjectTables

    package init(_ selection: Selection, of table: ObjectTable, in tables: ObjectTables) {
        (self.selection, self.table, self.tables) = (selection, table, tables)
    }

    /// Lends the objects in order, until `body` returns `.stop`.
    ///
    /// - Throws: what `body` throws; `damaged`, `store`.
    package func forEach<Source: ObjectReader & ~Copyable>(
        _ source: borrowing Source, _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        var course = try begin(source)
        try advance(&course, source, body)
    }

    /// How many objects the query selects; reads no object if it can count the entries of a tree
    /// instead.
    ///
    /// - Throws: `damaged`, `store`.
    package func count<Source: ObjectReader & ~Copyable>(
        _ source: borrowing Source
    ) throws(ObjectError) -> Int {
        var count = 0
        let limit = max(selection.limit ?? .max, 0)
        let plan = try Planner(selection, of: table).plan(source)
        guard plan.asksNothing, plan.accesses.count == 1, selection.after == nil,
            !plan.accesses[0].repeatsObjects
        else {
            var course = try course(by: plan, source)
            try advance(&course, source) { _ in
                count += 1
                return .next
            }
            return count
        }
        let access = plan.accesses[0]
        for bounds in access.bounds(isDescending: false, beyond: nil) where count < limit {
            try source.scan(tree(of: access), bounds.range, .ascending) { _, _ in
                count += 1
                return count < limit ? .next : .stop
            }
        }
        return count
    }

    /// Chooses a plan; if no tree has the query's order, finds the objects and sorts their keys.
    package func begin<Source: ObjectReader & ~Copyable>(
        _ source: borrowing Source
    ) throws(ObjectError) -> SelectionCourse {
        try course(by: Planner(selection, of: table).plan(source), source)
    }

    private func course<Source: ObjectReader & ~Copyable>(
        by plan: Plan, _ source: borrowing Source
    ) throws(ObjectError) -> SelectionCourse {
        SelectionCourse(
            plan: plan, entry: plan.isOrdered ? try entry(of: selection.after, in: plan) : nil,
            keys: plan.isOrdered ? nil : try sortedKeys(plan, source),
            left: max(selection.limit ?? .max, 0))
    }

    /// Lends the next objects, until `body` returns `.stop` or none are left.
    package func advance<Source: ObjectReader & ~Copyable>(
        _ course: inout SelectionCourse, _ source: borrowing Source,
        _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        guard course.left > 0, course.keys == nil else {
            return try advanceByKeys(&course, source, body)
        }
        var left = course.left
        try find(&course, source) { object throws(ObjectError) in
            left -= 1
            return try body(object) == .next && left > 0 ? .next : .stop
        }
        course.left = left
    }

    private func advanceByKeys<Source: ObjectReader & ~Copyable>(
        _ course: inout SelectionCourse, _ source: borrowing Source,
        _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        while let key = course.takeKey() {
            let step = try key.withView { key throws(ObjectError) in
                try source.withObject(key, in: table, body)
            }
            guard step == .next else { return }
        }
    }

    private func sortedKeys<Source: ObjectReader & ~Copyable>(
        _ plan: Plan, _ source: borrowing Source
    ) throws(ObjectError) -> [[UInt8]] {
        var found = SortedKeys(selection.order, limit: selection.limit)
        let values = FilterRun(.constant(true), tables)
        if let after = selection.after {
            try after.withObject(of: table) { object throws(ObjectError) in
                found.begin(
                    after: object.key.copied(), try sortedValues(of: object, values, source))
            }
        }
        var course = SelectionCourse(plan: plan, entry: nil, keys: nil, left: .max)
        try find(&course, source) { object throws(ObjectError) in
            found.add(object.key.copied(), sortedBy: try sortedValues(of: object, values, source))
            return .next
        }
        return found.keys()
    }

    private func sortedValues<Source: ObjectReader & ~Copyable>(
        of object: ObjectBytes, _ values: FilterRun, _ source: borrowing Source
    ) throws(ObjectError) -> [[UInt8]?] {
        try selection.order.items.map { item throws(ObjectError) in
            try values.value(item.path, of: object, in: table, source)
        }
    }

    /// The entry that an object has, or would have, in the tree whose order a plan uses.
    private func entry(
        of position: ObjectPosition?, in plan: Plan
    ) throws(ObjectError) -> [UInt8]? {
        try position?.withObject(of: table) { object throws(ObjectError) in
            guard let index = plan.accesses[0].index else { return object.key.copied() }
            return try table.entries(of: object, in: index).first
        }
    }

    /// Lends the matching objects, in the order of the plan's tree, beginning where reading last
    /// stopped.
    private func find<Source: ObjectReader & ~Copyable>(
        _ course: inout SelectionCourse, _ source: borrowing Source,
        _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        let plan = course.plan
        let first = plan.accesses[0]
        let known = try keys(in: plan.accesses.dropFirst(), source)
        let filter = plan.asksNothing ? nil : FilterRun(plan.rest, tables)
        var found = IndexEntries(seen: first.repeatsObjects ? course.takeSeen() : nil)
        // The entry at which `body` returned `.stop`.
        var last: [UInt8]?
        try scan(first, isDescending: plan.isDescending, beyond: course.entry, source) {
            entry, key, row throws(ObjectError) in
            if let known, !known.contains(key.copied()) { return .next }
            if let row {
                let step = try look(at: table.object(key, row), filter, source, body)
                if step == .stop { last = entry.copied() }
                return step
            }
            guard found.addAndIsFull(entry, key) else { return .next }
            last = try look(at: &found, filter, source, body)
            return last == nil ? .next : .stop
        }
        if last == nil { last = try look(at: &found, filter, source, body) }
        course.stop(at: last, found.seen ?? [])
    }

    /// The keys of the objects that every one of these accesses finds; `nil` if there is no access.
    private func keys<Source: ObjectReader & ~Copyable>(
        in accesses: ArraySlice<AccessPath>, _ source: borrowing Source
    ) throws(ObjectError) -> Set<[UInt8]>? {
        var known: Set<[UInt8]>?
        for access in accesses {
            var keys: Set<[UInt8]> = []
            try scan(access, isDescending: false, beyond: nil, source) { _, key, _ in
                keys.insert(key.copied())
                return .next
            }
            known = known?.intersection(keys) ?? keys
        }
        return known
    }

    private func look<Source: ObjectReader & ~Copyable>(
        at object: ObjectBytes, _ filter: FilterRun?, _ source: borrowing Source,
        _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) -> ScanStep {
        if let filter, try !filter.selects(object, of: table, source) { return .next }
        return try body(object)
    }

    /// Takes the collected entries, and looks up their objects together.
    ///
    /// - Returns: the entry at which `body` returned `.stop`; `nil` if it never did.
    private func look<Source: ObjectReader & ~Copyable>(
        at found: inout IndexEntries, _ filter: FilterRun?, _ source: borrowing Source,
        _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) -> [UInt8]? {
        let (entries, keys) = found.take()
        guard !keys.isEmpty else { return nil }
        var last: [UInt8]?
        try source._visitEntries(keys, in: table.number) { place, row throws(ObjectError) in
            guard last == nil, found.isNew(keys[place]) else { return }
            try keys[place].withView { key throws(ObjectError) in
                guard let row else {
                    throw ObjectError(
                        .damaged,
                        "find \(table.text(ofKey: key)): an index has it, but it is not there")
                }
                try row.withView { row throws(ObjectError) in
                    let object = try table.object(key, row)
                    if try look(at: object, filter, source, body) == .stop { last = entries[place] }
                }
            }
        }
        return last
    }

    /// Lends the entries of a tree, with the keys of their objects, and with the rows if the tree
    /// is the model's own.
    private func scan<Source: ObjectReader & ~Copyable>(
        _ access: AccessPath, isDescending: Bool, beyond last: [UInt8]?,
        _ source: borrowing Source,
        _ body: (ByteView, _ key: ByteView, _ row: ByteView?) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        var step = ScanStep.next
        let index = access.index
        let order = isDescending ? ScanOrder.descending : .ascending
        for bounds in access.bounds(isDescending: isDescending, beyond: last) where step == .next {
            try source.scan(tree(of: access), bounds.range, order) {
                entry, value throws(ObjectError) in
                step =
                    if let index { try body(entry, objectKey(of: entry, in: index), nil) } else {
                        try body(entry, entry, value)
                    }
                return step
            }
        }
    }

    private func tree(of access: AccessPath) -> Int { access.index?.number ?? table.number }

    private func objectKey(
        of entry: ByteView, in index: IndexTable
    ) throws(ObjectError) -> ByteView {
        guard let key = index.objectKey(of: entry) else {
            throw ObjectError(.damaged, "look in \(table.text(of: index)): an entry is damaged")
        }
        return key
    }
}

extension AccessPath {
    /// The ranges to read in the tree, in order, without duplicates.
    ///
    /// - Parameter last: the entry after which reading begins, in the direction of reading; `nil`
    ///   reads all of the ranges.
    fileprivate func bounds(isDescending: Bool, beyond last: [UInt8]?) -> [Bounds] {
        if bounds.count == 1, last == nil { return bounds.filter { !$0.isEmpty } }
        let bounds = Set(bounds.map { $0.clipped(beyond: last, isDescending: isDescending) })
            .filter { !$0.isEmpty }
            .sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
        return isDescending ? bounds.reversed() : bounds
    }
}

extension Bounds {
    /// The part of the range that comes after a key, in the direction of reading.
    fileprivate func clipped(beyond last: [UInt8]?, isDescending: Bool) -> Bounds {
        guard let last else { return self }
        if isDescending {
            guard upper.map({ last.lexicographicallyPrecedes($0) }) ?? true else { return self }
            return Bounds(from: lower, upTo: last)
        }
        let next = last + [0]
        guard lower.lexicographicallyPrecedes(next) else { return self }
        return Bounds(from: next, upTo: upper)
    }
}
