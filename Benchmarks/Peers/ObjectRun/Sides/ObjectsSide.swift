internal import Bulla
internal import BullaObjectPeer
internal import BullaObjects
internal import Foundation

/// Items as objects of Bulla, encrypted if there is a key.
final class ObjectsSide: ObjectSide {
    private let database: ObjectDatabase

    init(_ setup: StoreSetup) throws {
        var options = StoreOptions()
        options.cacheByteLimit = setup.cacheByteLimit
        // A checkpoint of an idle store would disturb the store that is measured meanwhile.
        options.checkpointsWhenIdle = false
        database = try ObjectDatabase.open(
            at: setup.folder + "/store.bulla", key: setup.key.map { try StoreKey($0) },
            options: options, models: ItemObject.self)
    }

    func insert(_ items: ArraySlice<Item>) throws {
        try database.write { transaction in
            for item in items { try transaction.insert(ItemObject(item)) }
        }
    }

    func update(_ numbers: ArraySlice<Int>, balance: Double) throws {
        try database.write { transaction in
            for number in numbers {
                try transaction.update(ItemObject.self, key: number) { $0.item.balance = balance }
            }
        }
    }

    func fetch(_ numbers: [Int], isReadEach: Bool, _ glance: inout Glance) throws {
        if isReadEach {
            for number in numbers {
                let object = try database.read { try $0.fetch(ItemObject.self, key: number) }
                if let object { glance.saw(object.item) }
            }
        } else {
            try database.read { snapshot in
                for number in numbers {
                    let object = try snapshot.fetch(ItemObject.self, key: number)
                    if let object { glance.saw(object.item) }
                }
            }
        }
    }

    func query(teams: [Int], _ glance: inout Glance) throws {
        try database.read { snapshot in
            for team in teams {
                glance.saw(try snapshot.fetch(ItemObject.where { $0.team == team }))
            }
        }
    }

    func query(cities: [String], _ glance: inout Glance) throws {
        try database.read { snapshot in
            for city in cities {
                glance.saw(try snapshot.fetch(ItemObject.where { $0.city == city }))
            }
        }
    }

    func filter(ranks: [Int], _ glance: inout Glance) throws {
        try database.read { snapshot in
            for rank in ranks {
                glance.saw(try snapshot.fetch(ItemObject.where { $0.rank == rank }))
            }
        }
    }

    func fetchFirst(_ limit: Int, times: Int, _ glance: inout Glance) throws {
        try database.read { snapshot in
            for _ in 0..<times {
                glance.saw(try snapshot.fetch(ItemObject.all.sorted(by: \.joined).limit(limit)))
            }
        }
    }

    func count(joined: [Range<Date>], _ glance: inout Glance) throws {
        try database.read { snapshot in
            for range in joined {
                glance.saw(
                    count: try snapshot.count(of: ItemObject.where { $0.joined.isIn(range) }))
            }
        }
    }

    func visitAll(_ body: (Item) -> Void) throws {
        try database.read { snapshot in
            try snapshot.forEach(ItemObject.all) { object in
                body(object.item)
                return .next
            }
        }
    }

    func rest() throws { database.store.core.awaitCheckpoints() }

    func drain() throws { while try database.store.checkpoint() {} }

    func watch(team: Int) throws -> (any ItemWatch)? {
        ObjectWatch(changes: database.changes(of: ItemObject.where { $0.team == team }))
    }

    func close() throws { try database.store.close() }
}

private struct ObjectWatch: ItemWatch {
    private var iterator: ObjectStream<ObjectChange<ItemObject>>.AsyncIterator

    init(changes: ObjectStream<ObjectChange<ItemObject>>) { iterator = changes.makeAsyncIterator() }

    mutating func next(seconds: Int) throws -> [Item]? {
        try iterator.next(waitingAtMost: .seconds(seconds)).map {
            ($0.inserted + $0.updated).map(\.item)
        }
    }
}

extension Glance {
    fileprivate mutating func saw(_ objects: [ItemObject]) {
        for object in objects { saw(object.item) }
    }
}
