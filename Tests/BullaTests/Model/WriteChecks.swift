import Bulla
import BullaMemory
import BullaTestSupport

/// Makes the same changes to a tree in a transaction and to the model, and compares the answers.
struct WriteChecks {
    let context: ModelContext
    var keys: KeyMaker
    let values: ValueMaker
    /// Whether trees shrink now; they alternately grow and shrink, so that pages split and merge.
    var isShrinking = false

    mutating func one(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        guard !isShrinking || context.random.isOne(in: 3) else {
            return try shrink(&change, tree, &model)
        }
        switch context.random.below(40) {
        case 0..<20: try put(&change, tree, &model)
        case 20..<25: try insert(&change, tree, &model)
        case 25..<29: try delete(&change, tree, &model)
        case 29..<33: try compareAndSet(&change, tree, &model)
        case 33: try compareAndSetMany(&change, tree, &model)
        case 34: try putMany(&change, tree, &model)
        case 35, 36: try putStream(&change, tree, &model)
        case 37: try deleteRange(&change, tree, &model)
        default: try overwrite(&change, tree, &model)
        }
    }

    private mutating func shrink(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        switch context.random.below(20) {
        case 0..<17: try delete(&change, tree, &model)
        case 17: try deleteMany(&change, tree, &model)
        default: try deleteRange(&change, tree, &model)
        }
    }

    private mutating func anyKey(_ model: SortedModel) -> [UInt8] {
        keys.key(model, &context.random)
    }

    private mutating func put(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        let key = anyKey(model)
        let value = values.value(forKey: key, &context.random)
        try change.put(value, forKey: key, in: tree)
        model[key] = value
    }

    /// Puts a new value for an existing key, often as long as the old one.
    private mutating func overwrite(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        guard let entry = model.anyEntry(&context.random) else { return }
        let value =
            context.random.isOne(in: 2)
            ? context.random.bytes(entry.value.count)
            : values.value(forKey: entry.key, &context.random)
        try change.put(value, forKey: entry.key, in: tree)
        model[entry.key] = value
    }

    private mutating func insert(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        let key = anyKey(model)
        let value = values.value(forKey: key, &context.random)
        let isNew = model[key] == nil
        try context.check(try change.insert(value, forKey: key, in: tree) == isNew, "insert")
        if isNew { model[key] = value }
    }

    private mutating func putMany(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        let count = context.random.below(12)
        let entries = (0..<count).map { _ in
            let key = anyKey(model)
            return (key: key, value: values.value(forKey: key, &context.random))
        }
        guard context.random.isOne(in: 2) else {
            try change.put(entries, in: tree)
            for entry in entries { model[entry.key] = entry.value }
            return
        }
        var expected = 0
        let found = try change.insert(entries, in: tree)
        for entry in entries where model[entry.key] == nil {
            model[entry.key] = entry.value
            expected += 1
        }
        try context.check(found == expected, "insert of a list gave \(found) of \(expected)")
    }

    private mutating func putStream(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        let key = anyKey(model)
        let parts = values.parts(&context.random)
        let fails = context.random.isOne(in: 5)
        do {
            try change.putStream(forKey: key, in: tree) { write in
                for part in parts { try part.withBytes { try write($0) } }
                if fails { throw Refusal() }
            }
            try context.check(!fails, "a stream that threw was stored")
            model[key] = parts.flatMap { $0 }
        } catch is Refusal {}
    }

    struct Refusal: Error {}

    private mutating func delete(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        let key = anyKey(model)
        if context.random.isOne(in: 2) {
            let isThere = try change.deleteIfPresent(key, in: tree)
            try context.check(isThere == (model[key] != nil), "deleteIfPresent")
        } else {
            try change.delete(key, in: tree)
        }
        model[key] = nil
    }

    private mutating func deleteMany(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        let list = (0..<context.random.below(12)).map { _ in anyKey(model) }
        let expected = Set(list).filter { model[$0] != nil }.count
        if context.random.isOne(in: 2) {
            let found = try change.deleteIfPresent(list, in: tree)
            try context.check(found == expected, "\(found) of \(expected) keys were deleted")
        } else {
            try change.delete(list, in: tree)
        }
        for key in list { model[key] = nil }
    }

    private mutating func deleteRange(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        let range =
            context.random.isOne(in: 12)
            ? keys.range(model, &context.random) : keys.narrow(model, &context.random)
        let found = try change.deleteRange(range.keyRange, in: tree)
        let expected = model.removeAll(range)
        try context.check(
            found == UInt64(expected), "deleteRange of \(range) gave \(found) of \(expected)")
    }

    private mutating func compareAndSet(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        let item = comparison(model)
        let isSet = try change.compareAndSet(
            forKey: item.key, expected: item.expected, new: item.new, in: tree)
        try context.check(isSet == (model[item.key] == item.expected), "compareAndSet")
        if isSet { model[item.key] = item.new }
    }

    private mutating func compareAndSetMany(
        _ change: inout WriteTransaction, _ tree: Tree, _ model: inout SortedModel
    ) throws {
        let items = (0..<context.random.below(4)).map { _ in comparison(model) }
        let isSet = try change.compareAndSet(items, in: tree)
        let expected = items.allSatisfy { model[$0.key] == $0.expected }
        try context.check(isSet == expected, "compareAndSet of a list")
        guard isSet else { return }
        for item in items { model[item.key] = item.new }
    }

    private mutating func comparison(
        _ model: SortedModel
    ) -> (key: [UInt8], expected: [UInt8]?, new: [UInt8]?) {
        let key = anyKey(model)
        let isWrong = context.random.isOne(in: 6)
        let new = context.random.isOne(in: 4) ? nil : values.value(forKey: key, &context.random)
        return (key, isWrong ? [1, 2, 3] : model[key], new)
    }
}
