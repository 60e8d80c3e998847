internal import Bulla
internal import BullaObjectPeer
internal import Foundation

/// Items in trees; this file and its neighbours encode keys, rows and index entries by hand.
final class TreesSide: ObjectSide {
    private static let names = ["item", "team", "city", "joined"]

    private let store: Store

    init(_ setup: StoreSetup) throws {
        var options = StoreOptions()
        options.cacheByteLimit = setup.cacheByteLimit
        // A checkpoint of an idle store would disturb the store that is measured meanwhile.
        options.checkpointsWhenIdle = false
        store = try Store.open(
            at: setup.folder + "/store.bulla", key: setup.key.map { try StoreKey($0) },
            options: options)
        try store.write { transaction in
            for name in Self.names { _ = try transaction.openOrCreateTree(named: name) }
        }
    }

    func insert(_ items: ArraySlice<Item>) throws {
        try store.write { transaction in
            let trees = try Self.names.map { name in try transaction.tree(named: name) }
            var row: [UInt8] = []
            for item in items {
                let number = item.number
                ItemRow.write(item, to: &row)
                try transaction.insert(row, forKey: ItemKey(number: number).bytes, in: trees[0])
                for (place, key) in [
                    ItemKey(team: item.team), ItemKey(city: item.city),
                    ItemKey(joined: item.joined),
                ].enumerated() {
                    try transaction.put([], forKey: key.with(number), in: trees[place + 1])
                }
            }
        }
    }

    func update(_ numbers: ArraySlice<Int>, balance: Double) throws {
        try store.write { transaction in
            let tree = try transaction.tree(named: Self.names[0])
            for number in numbers {
                let key = ItemKey(number: number).bytes
                guard var row = try transaction.value(forKey: key, in: tree) else { continue }
                ItemRow.setBalance(balance, in: &row)
                try transaction.put(row, forKey: key, in: tree)
            }
        }
    }

    func fetch(_ numbers: [Int], isReadEach: Bool, _ glance: inout Glance) throws {
        if isReadEach {
            for number in numbers { try read { try $0.fetch(number, &glance) } }
        } else {
            try read { reader in
                for number in numbers { try reader.fetch(number, &glance) }
            }
        }
    }

    func query(teams: [Int], _ glance: inout Glance) throws {
        try read { reader in
            let index = try reader.index("team")
            for team in teams {
                let range = KeyRange.prefix(ItemKey(team: team).bytes)
                glance.saw(try reader.items(index, range))
            }
        }
    }

    func query(cities: [String], _ glance: inout Glance) throws {
        try read { reader in
            let index = try reader.index("city")
            for city in cities {
                let range = KeyRange.prefix(ItemKey(city: city).bytes)
                glance.saw(try reader.items(index, range))
            }
        }
    }

    func filter(ranks: [Int], _ glance: inout Glance) throws {
        try read { reader in
            for rank in ranks { glance.saw(try reader.items(rank: rank)) }
        }
    }

    func fetchFirst(_ limit: Int, times: Int, _ glance: inout Glance) throws {
        try read { reader in
            let index = try reader.index("joined")
            for _ in 0..<times { glance.saw(try reader.items(index, .all, limit: limit)) }
        }
    }

    func count(joined: [Range<Date>], _ glance: inout Glance) throws {
        try read { reader in
            let index = try reader.index("joined")
            for range in joined {
                let (lower, upper) = (
                    ItemKey(joined: range.lowerBound), ItemKey(joined: range.upperBound)
                )
                let keys = KeyRange.from(lower.bytes, upTo: upper.bytes)
                glance.saw(count: try reader.count(index, keys))
            }
        }
    }

    func visitAll(_ body: (Item) -> Void) throws { try read { try $0.visitAll(body) } }

    func rest() throws { store.core.awaitCheckpoints() }

    func drain() throws { while try store.checkpoint() {} }

    func close() throws { try store.close() }

    private func read(_ body: (borrowing ItemReader) throws -> Void) throws {
        try body(ItemReader(store.makeSnapshot()))
    }
}

/// Reads items from a snapshot.
private struct ItemReader: ~Copyable {
    private let snapshot: Snapshot
    private let tree: Tree

    init(_ snapshot: consuming Snapshot) throws {
        tree = try snapshot.tree(named: "item")
        self.snapshot = snapshot
    }

    borrowing func index(_ name: String) throws -> Tree { try snapshot.tree(named: name) }

    borrowing func fetch(_ number: Int, _ glance: inout Glance) throws {
        let item = try item(number)
        if let item { glance.saw(item) }
    }

    private borrowing func item(_ number: Int) throws -> Item? {
        try snapshot.withValue(forKey: ItemKey(number: number).bytes, in: tree) {
            ItemRow.item(number, $0)
        }
    }

    borrowing func items(
        _ index: Tree, _ range: KeyRange, limit: Int = .max
    ) throws -> [Item] {
        var items: [Item] = []
        try snapshot.scan(index, range) { entry, _ in
            if let item = try item(ItemKey.number(entry)) { items.append(item) }
            return items.count < limit ? .next : .stop
        }
        return items
    }

    borrowing func items(rank: Int) throws -> [Item] {
        var items: [Item] = []
        try snapshot.scan(tree) { key, row in
            if ItemRow.rank(row) == rank { items.append(ItemRow.item(ItemKey.number(key), row)) }
            return .next
        }
        return items
    }

    borrowing func count(_ index: Tree, _ range: KeyRange) throws -> Int {
        var count = 0
        try snapshot.scan(index, range) { _, _ in
            count += 1
            return .next
        }
        return count
    }

    borrowing func visitAll(_ body: (Item) -> Void) throws {
        try snapshot.scan(tree) { key, row in
            body(ItemRow.item(ItemKey.number(key), row))
            return .next
        }
    }
}
