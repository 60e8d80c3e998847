internal import Bulla
internal import BullaMemory

/// How objects are found, and what remains to be done with them.
package struct Plan: Sendable {
    /// Why the plan was chosen.
    enum Reason: Sendable {
        case keepsOrder
        case narrowsAlone
        case narrowsMost(count: Int)
        case narrowsTogether(counts: [Int])
        case hasMany
        case nothingNarrows
    }

    /// The trees to search; an object has to be found in all of them.
    package let accesses: [AccessPath]
    /// The conditions that the found objects still have to meet.
    let rest: Filter
    /// Whether reading the first tree, backwards if `isDescending`, gives the requested order.
    package let isOrdered: Bool
    package let isDescending: Bool
    private let reason: Reason
    private let table: ObjectTable
    private let order: SelectionOrder

    init(
        _ accesses: [AccessPath], _ reason: Reason, of selection: Selection, in table: ObjectTable
    ) {
        (self.accesses, self.reason, self.table) = (accesses, reason, table)
        order = selection.order
        let fulfilled = accesses.reduce(into: Set<Int>()) { $0.formUnion($1.fulfilled) }
        let open = selection.conditions.enumerated().filter { place, condition in
            !fulfilled.contains(place) && condition != .constant(true)
        }
        rest = open.count == 1 ? open[0].element : .all(open.map(\.element))
        // A search of two trees finds few objects, so the run sorts them if the query has an order.
        let kept = selection.order.isKept(by: accesses[0])
        isOrdered = accesses.count == 1 ? kept.isKept : selection.order.items.isEmpty
        isDescending = accesses.count == 1 && kept.isDescending
    }

    /// Whether the query selects every object found in the trees.
    var asksNothing: Bool { rest == .all([]) }

    /// The choice and its reason, one line each.
    package var explanation: [String] {
        let names = accesses.map(name)
        switch reason {
        case .narrowsTogether(let counts):
            return [
                "look in \(names[0]): it has \(counts[0]) that may fit",
                "and in \(names[1]), which has \(counts[1]): read those that both have",
            ]
        case .keepsOrder: return lines(names[0], "it has the order that is asked for")
        case .narrowsAlone: return lines(names[0], "nothing else narrows it")
        case .narrowsMost(let count): return lines(names[0], "it has \(count) that may fit")
        case .hasMany: return lines(names[0], "nothing narrows it below \(Planner.countLimit)")
        case .nothingNarrows: return lines(names[0], "nothing narrows it")
        }
    }

    private func lines(_ name: String, _ reason: String) -> [String] {
        let sorting =
            isOrdered ? [] : ["sort the found objects by \(order.items.count) properties"]
        return ["look in \(name): \(reason)"] + sorting
    }

    private func name(_ path: AccessPath) -> String {
        guard let index = path.index else { return "all of \(table.model.name)" }
        return "the index of \(table.text(of: index))"
    }
}

/// Finds the plan that is likely to look at the fewest objects.
package struct Planner {
    /// How many entries of a tree (the model's own, or an index) the planner counts at most.
    package static let countLimit = 300

    private let table: ObjectTable
    private let selection: Selection

    package init(_ selection: Selection, of table: ObjectTable) {
        (self.selection, self.table) = (selection, table)
    }

    /// - Complexity: reads at most a few hundred entries of each tree (the model's own, or an
    ///   index) in which the filter restricts the leading parts of the keys, and no entry of other
    ///   trees.
    package func plan<Source: ObjectReader & ~Copyable>(
        _ source: borrowing Source
    ) throws(ObjectError) -> Plan {
        let conditions = selection.conditions
        let paths = ([nil] + table.indexes.map { $0 }).map { index in
            AccessPath(table, index, where: conditions)
        }
        let narrow = paths.filter { $0.usedCount > 0 && !$0.lacksObjects }
        if narrow.count == 1, selection.order.isKept(by: narrow[0]).isKept {
            return plan(narrow[0], .narrowsAlone)
        }
        var counted: [(path: AccessPath, count: Int)] = []
        for path in narrow {
            let count = path.isOfPoints ? path.bounds.count : try count(path, source)
            counted.append((path, count))
        }
        counted.sort { ($0.count, -$0.path.usedCount) < ($1.count, -$1.path.usedCount) }
        if let best = counted.first, best.count < Self.countLimit {
            return plan(of: best, counted)
        }
        let ordered = paths.first { selection.order.isKept(by: $0).isKept }
        if let ordered, !selection.order.items.isEmpty, selection.limit != nil || counted.isEmpty {
            return plan(ordered, .keepsOrder)
        }
        guard let best = counted.first else { return plan(paths[0], .nothingNarrows) }
        return plan(best.path, .hasMany)
    }

    /// Chooses the best path, or the two best if both are indexes that find few objects, but not
    /// very few.
    private func plan(
        of best: (path: AccessPath, count: Int), _ counted: [(path: AccessPath, count: Int)]
    ) -> Plan {
        let others = counted.dropFirst().filter { $0.count < Self.countLimit }
        guard best.count > 20, best.path.index != nil, let other = others.first,
            other.path.index != nil
        else { return plan(best.path, .narrowsMost(count: best.count)) }
        return Plan(
            [best.path, other.path], .narrowsTogether(counts: [best.count, other.count]),
            of: selection, in: table)
    }

    private func plan(_ path: AccessPath, _ reason: Plan.Reason) -> Plan {
        Plan([path], reason, of: selection, in: table)
    }

    private func count<Source: ObjectReader & ~Copyable>(
        _ path: AccessPath, _ source: borrowing Source
    ) throws(ObjectError) -> Int {
        var count = 0
        for bounds in path.bounds where !bounds.isEmpty && count < Self.countLimit {
            let tree = path.index?.number ?? table.number
            try source.scan(tree, bounds.range, .ascending) { _, _ in
                count += 1
                return count < Self.countLimit ? .next : .stop
            }
        }
        return count
    }
}
