package import Bulla
internal import BullaMemory

/// Finds what a query asks for.
package struct SelectionRun {
    private let selection: Selection
    private let table: ObjectTable
    private let filter: FilterRun

    package init(_ selection: Selection, of table: ObjectTable, in tables: ObjectTables) {
        (self.selection, self.table) = (selection, table)
        filter = FilterRun(selection.filter, tables)
    }

    /// Lends what is found, in order, until `body` stops.
    ///
    /// - Throws: what `body` throws; `damaged`, `store`.
    package func forEach<Source: ObjectReading & ~Copyable>(
        _ source: borrowing Source, _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        let plan = try Planner(selection, of: table).plan(source)
        if plan.isOrdered || selection.order.items.isEmpty {
            var left = selection.limit ?? .max
            guard left > 0 else { return }
            try find(plan, source) { object throws(ObjectError) in
                left -= 1
                return try body(object) == .next && left > 0 ? .next : .stop
            }
        } else {
            try forEachSorted(plan, source, body)
        }
    }

    private func forEachSorted<Source: ObjectReading & ~Copyable>(
        _ plan: Plan, _ source: borrowing Source,
        _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        var found = SortedKeys(selection.order, limit: selection.limit)
        try find(plan, source) { object throws(ObjectError) in
            var values: [[UInt8]?] = []
            for item in selection.order.items {
                values.append(try filter.value(item.path, of: object, in: table, source))
            }
            found.add(object.key.copied(), sortedBy: values)
            return .next
        }
        for key in found.keys() {
            let step = try key.withView { key throws(ObjectError) in
                try source.withObject(key, in: table, body)
            }
            guard step == .next else { return }
        }
    }

    /// Lends what fits, in the order of the plan's tree.
    private func find<Source: ObjectReading & ~Copyable>(
        _ plan: Plan, _ source: borrowing Source,
        _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        let (first, others) = (plan.accesses[0], plan.accesses.dropFirst())
        var known: Set<[UInt8]>?
        for other in others {
            var keys: Set<[UInt8]> = []
            try forEachKey(of: other, isDescending: false, source) { key, _ in
                keys.insert(key.copied())
                return .next
            }
            known = known?.intersection(keys) ?? keys
        }
        var seen: Set<[UInt8]> = []
        try forEachKey(of: first, isDescending: plan.isDescending, source) {
            key, row throws(ObjectError) in
            if let known, !known.contains(key.copied()) { return .next }
            if first.repeatsObjects, !seen.insert(key.copied()).inserted { return .next }
            return try look(at: key, row, source, body)
        }
    }

    private func look<Source: ObjectReading & ~Copyable>(
        at key: ByteView, _ row: ByteView?, _ source: borrowing Source,
        _ body: (ObjectBytes) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) -> ScanStep {
        func look(_ object: ObjectBytes) throws(ObjectError) -> ScanStep {
            guard try filter.selects(object, of: table, source) else { return .next }
            return try body(object)
        }
        if let row { return try look(table.object(key, row)) }
        guard let step = try source.withObject(key, in: table, look) else {
            throw ObjectError(
                .damaged, "find \(table.text(ofKey: key)): an index has it, and it is not there")
        }
        return step
    }

    /// Lends the keys of a tree's objects, and the rows where they lie there.
    private func forEachKey<Source: ObjectReading & ~Copyable>(
        of access: AccessPath, isDescending: Bool, _ source: borrowing Source,
        _ body: (ByteView, ByteView?) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        let bounds = Set(access.bounds).filter { !$0.isEmpty }.sorted {
            $0.lower.lexicographicallyPrecedes($1.lower)
        }
        var hasStopped = false
        for bounds in isDescending ? bounds.reversed() : bounds where !hasStopped {
            try source.scan(
                access.index?.number ?? table.model.number, bounds.range,
                isDescending ? .descending : .ascending
            ) { entry, value throws(ObjectError) in
                let step: ScanStep
                if let index = access.index {
                    guard let key = index.objectKey(of: entry) else {
                        throw ObjectError(
                            .damaged, "look in \(table.text(of: index)): an entry is damaged")
                    }
                    step = try body(key, nil)
                } else {
                    step = try body(entry, value)
                }
                hasStopped = step == .stop
                return step
            }
        }
    }
}
