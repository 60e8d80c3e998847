import Bulla
import BullaMemory
import BullaTestSupport

/// Compares a tree's answers with the model, one reading verb at a time.
struct ReadChecks {
    let context: ModelContext
    let model: SortedModel
    var keys: KeyMaker

    /// Makes one random reading operation.
    mutating func one(_ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree) throws {
        switch context.random.below(30) {
        case 0..<9: try get(reader, tree)
        case 9..<13: try lend(reader, tree)
        case 13..<16: try contains(reader, tree)
        case 16..<18: try part(reader, tree)
        case 18: try stream(reader, tree)
        case 19: try ends(reader, tree)
        case 20: try batch(reader, tree)
        case 21: try count(reader, tree)
        default: try scan(reader, tree)
        }
    }

    private mutating func anyKey() -> [UInt8] { keys.key(model, &context.random) }

    private mutating func get(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree
    ) throws {
        let key = anyKey()
        try compare(try reader.value(forKey: key, in: tree), model[key], "get", key)
    }

    private func compare(
        _ found: [UInt8]?, _ expected: [UInt8]?, _ verb: String, _ key: [UInt8]
    ) throws {
        try context.check(
            found == expected,
            "\(verb) of key \(ModelContext.name(key)) gave \(ModelContext.name(found)), "
                + "expected \(ModelContext.name(expected))")
    }

    private mutating func lend(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree
    ) throws {
        let key = anyKey()
        let found = try reader.withValue(forKey: key, in: tree) { $0.copied() }
        try compare(found, model[key], "withValue", key)
        var visited: [UInt8]?
        let isThere = try reader.visitValue(forKey: key, in: tree) { visited = $0.copied() }
        try compare(visited, model[key], "visitValue", key)
        try context.check(
            isThere == (visited != nil), "visitValue of key \(ModelContext.name(key))")
    }

    private mutating func contains(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree
    ) throws {
        let key = anyKey()
        let expected = model[key]
        try context.check(
            try reader.contains(key, in: tree) == (expected != nil)
                && reader.valueByteCount(forKey: key, in: tree) == expected?.count,
            "contains, or valueByteCount, of key \(ModelContext.name(key))")
    }

    private mutating func part(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree
    ) throws {
        let key = anyKey()
        let value = model[key]
        let offset = context.random.below((value?.count ?? 0) + 3)
        var buffer = [UInt8](repeating: 0, count: context.random.below(10_000))
        let count = try reader.readValue(forKey: key, in: tree, at: offset, into: &buffer)
        let expected = value.map { Array($0.dropFirst(offset).prefix(buffer.count)) }
        try compare(count.map { Array(buffer.prefix($0)) }, expected, "readValue", key)
    }

    private mutating func stream(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree
    ) throws {
        let key = anyKey()
        var found: [UInt8] = []
        let isThere = try reader.streamValue(forKey: key, in: tree) { found += $0.copied() }
        try compare(isThere ? found : nil, model[key], "streamValue", key)
    }

    private mutating func batch(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree
    ) throws {
        let keys = (0..<context.random.below(40)).map { _ in anyKey() }
        let expected = keys.map { model[$0] }
        try context.check(
            try reader.values(forKeys: keys, in: tree) == expected, "get of \(keys.count) keys")
        var lent: [[UInt8]?] = []
        try reader.withValues(forKeys: keys, in: tree) { index, value in
            try context.check(index == lent.count, "withValues lends out of order")
            if let value { lent.append(value.copied()) } else { lent.append(nil) }
        }
        try context.check(lent == expected, "withValues of \(keys.count) keys")
        try context.check(
            try reader.presence(ofKeys: keys, in: tree) == expected.map { $0 != nil },
            "presence of \(keys.count) keys")
    }

    private func ends(_ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree) throws {
        let (first, last) = (try reader.first(in: tree), try reader.last(in: tree))
        let expectedFirst = model.entries(.all, descending: false, limit: 1).first
        let expectedLast = model.entries(.all, descending: true, limit: 1).first
        try context.check(
            first?.key == expectedFirst?.key && first?.value == expectedFirst?.value
                && last?.key == expectedLast?.key && last?.value == expectedLast?.value,
            "first or last")
    }

    private func count(_ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree) throws {
        let found = try reader.count(of: tree)
        try context.check(
            found == model.count, "count is \(found), expected \(model.count)")
    }

    private mutating func scan(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree
    ) throws {
        let range = keys.range(model, &context.random)
        let limit = context.random.isOne(in: 10) ? 300 : 1 + context.random.below(20)
        let descending = context.random.isOne(in: 2)
        try scan(reader, tree, range, descending: descending, limit: limit)
        try scanRuns(reader, tree, range, descending: descending, limit: limit)
    }

    func scan(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree, _ range: ModelRange,
        descending: Bool, limit: Int
    ) throws {
        let expected = model.entries(range, descending: descending, limit: limit)
        var count = 0
        try reader.scan(
            tree, range.keyRange, order: descending ? .descending : .ascending
        ) { key, value in
            try context.check(
                count < expected.count && key.equals(expected[count].key)
                    && value.equals(expected[count].value),
                "scan of \(range), descending \(descending), differs at entry \(count)")
            count += 1
            return count < limit ? .next : .stop
        }
        try context.check(
            count == expected.count,
            "scan of \(range), descending \(descending), gave \(count) of \(expected.count)")
    }

    /// Compares the whole tree, in both directions.
    func whole(_ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree) throws {
        try count(reader, tree)
        for descending in [false, true] {
            try scan(reader, tree, .all, descending: descending, limit: .max)
            try scanRuns(reader, tree, .all, descending: descending, limit: .max)
        }
    }
}

extension RawSpan {
    func copied() -> [UInt8] { withView { $0.copied() } }

    func equals(_ bytes: [UInt8]) -> Bool {
        withView { left in
            bytes.withBytes { right in right.withView { left.compare($0) == 0 } }
        }
    }
}
