internal import Bulla
internal import BullaMemory

/// How objects are found, and what is left to be done with what is found.
package struct Plan: Sendable {
    /// Where they are looked for; an object has to be found in all of them.
    package let accesses: [AccessPath]
    /// Whether what is found comes in the order that was asked for, and from which end.
    package let isOrdered: Bool
    package let isDescending: Bool
    /// What was chosen, and why, a line each.
    package let explanation: [String]
}

/// Finds the plan that has least to look at.
package struct Planner {
    /// So many entries of an index are counted, at most.
    package static let countLimit = 300

    private let table: ObjectTable
    private let selection: Selection

    package init(_ selection: Selection, of table: ObjectTable) {
        (self.selection, self.table) = (selection, table)
    }

    /// - Complexity: a few hundred entries of each index that the filter demands something of.
    package func plan<Source: ObjectReading & ~Copyable>(
        _ source: borrowing Source
    ) throws(ObjectError) -> Plan {
        let conditions = selection.conditions
        let paths = ([nil] + table.indexes.map { $0 }).map { index in
            AccessPath(table, index, where: conditions)
        }
        var counted: [(path: AccessPath, count: Int)] = []
        for path in paths where path.usedCount > 0 && !path.lacksObjects {
            let count = path.isOfPoints ? path.bounds.count : try count(path, source)
            counted.append((path, count))
        }
        counted.sort { ($0.count, -$0.path.usedCount) < ($1.count, -$1.path.usedCount) }
        if let best = counted.first, best.count < Self.countLimit {
            return plan(of: best, counted)
        }
        let ordered = paths.first { selection.order.isKept(by: $0).isKept }
        if let ordered, !selection.order.items.isEmpty, selection.limit != nil || counted.isEmpty {
            return plan(ordered, why: "its order is the one that is asked for")
        }
        guard let best = counted.first else { return plan(paths[0], why: "nothing narrows it") }
        return plan(best.path, why: "it has least, but more than \(Self.countLimit)")
    }

    /// Two indexes together, where each has few and neither has very few.
    private func plan(
        of best: (path: AccessPath, count: Int), _ counted: [(path: AccessPath, count: Int)]
    ) -> Plan {
        let others = counted.dropFirst().filter { $0.count < Self.countLimit }
        guard best.count > 20, best.path.index != nil, let other = others.first,
            other.path.index != nil
        else { return plan(best.path, why: "it has \(best.count) that may fit") }
        return Plan(
            accesses: [best.path, other.path], isOrdered: selection.order.items.isEmpty,
            isDescending: false,
            explanation: [
                "look in \(name(best.path)): it has \(best.count) that may fit",
                "and in \(name(other.path)), which has \(other.count): what both have is read",
            ])
    }

    private func plan(_ path: AccessPath, why reason: String) -> Plan {
        let order = selection.order.isKept(by: path)
        let sorting =
            order.isKept ? [] : ["sort what is found by \(selection.order.items.count) properties"]
        return Plan(
            accesses: [path], isOrdered: order.isKept, isDescending: order.isDescending,
            explanation: ["look in \(name(path)): \(reason)"] + sorting)
    }

    private func name(_ path: AccessPath) -> String {
        guard let index = path.index else { return "all of \(table.model.name)" }
        return "the index of \(table.text(of: index))"
    }

    private func count<Source: ObjectReading & ~Copyable>(
        _ path: AccessPath, _ source: borrowing Source
    ) throws(ObjectError) -> Int {
        var count = 0
        for bounds in path.bounds where !bounds.isEmpty && count < Self.countLimit {
            let tree = path.index?.number ?? table.model.number
            try source.scan(tree, bounds.range, .ascending) { _, _ in
                count += 1
                return count < Self.countLimit ? .next : .stop
            }
        }
        return count
    }
}
