#if Objects
import Bulla
import BullaObjects
import BullaTestSupport
import Testing

/// A database of twelve models, and the dictionaries with which it must agree.
struct WorldRun {
    private let scratch: Scratch
    private let kind: StoreKind
    private var database: ObjectDatabase
    /// The same models with only the indexes that links need; queries must find the same objects.
    private var bare: _ObjectBindings
    private var world = World()
    private var random: TestRandom
    /// The maximum number of objects of each model; all models together have at most 2 000.
    private let objectLimit: Int

    private struct Undone: Error {}

    init(seed: UInt64, _ kind: StoreKind) throws {
        (random, self.kind) = (TestRandom(seed: seed), kind)
        scratch = try Scratch()
        database = try Self.open(scratch, kind)
        bare = database.schema.bareBindings
        objectLimit = random.pick([20, 60, 160])
    }

    private static func open(_ scratch: Scratch, _ kind: StoreKind) throws -> ObjectDatabase {
        var options = StoreOptions()
        options.suite = kind.suite
        let store = try Store.open(
            at: scratch.path("town.bulla"), key: kind.key(), options: options)
        return try ObjectDatabase(store, models: World.models)
    }

    mutating func step() throws {
        if random.isOne(in: 400) { return try reopen() }
        let model = random.pick(World.models)
        try step(model)
    }

    private mutating func step<M: WorldModel>(_ model: M.Type) throws {
        switch random.below(20) {
        case 0...4 where world.count(model) < objectLimit: try insert(model)
        case 5...6 where world.count(model) < objectLimit: try upsert(model)
        case 7...8: try update(model)
        case 9: try updateQuery(model)
        case 10: try delete(model)
        case 11 where random.isOne(in: 4): try deleteQuery(model)
        case 12: try undo(model)
        case 13: try fetchOne(model)
        default: try query(model)
        }
    }

    private mutating func reopen() throws {
        try database.store.close()
        database = try Self.open(scratch, kind)
        for model in World.models { try checkAll(model) }
    }

    /// Reads every object of every model.
    func checkAll() throws {
        for model in World.models { try checkAll(model) }
    }

    private func checkAll<M: WorldModel>(_ model: M.Type) throws {
        let found = try read { try $0.fetch(M.all) }
        let objects = world.objects(model)
        #expect(found.count == objects.count)
        let isSame = Set(found) == Set(objects)
        #expect(isSame)
    }

    private func read<R>(_ body: (borrowing ObjectSnapshot) throws -> R) throws -> R {
        try database.read(visibility: .published, body)
    }
}

/// Writes.
extension WorldRun {
    /// - Returns: the code of the error; `nil` if there was none.
    private func write(
        _ body: (inout ObjectTransaction) throws -> Void
    ) throws -> ObjectError.Code? {
        do {
            try database.write(durability: .relaxed(within: .seconds(60)), body)
            return nil
        } catch let error as ObjectError {
            return error.code
        }
    }

    private mutating func draw<M: WorldModel>(_ model: M.Type) -> M {
        M.draw(world.drawKey(model, &random), world, &random)
    }

    private mutating func insert<M: WorldModel>(_ model: M.Type) throws {
        let object = M.draw(M.drawKey(&random), world, &random)
        let isThere = world.object(object.modelKey) as M? != nil
        let isTaken = world.isTaken(object)
        let code = try write { try $0.insert(object) }
        if isThere || isTaken {
            #expect(code == .duplicateKey && isThere || code == .duplicateValue && isTaken)
        } else {
            #expect(code == nil)
            world.put(object)
        }
    }

    private mutating func upsert<M: WorldModel>(_ model: M.Type) throws {
        let object = draw(model)
        let isTaken = world.isTaken(object)
        let code = try write { try $0.upsert(object) }
        #expect(code == (isTaken ? .duplicateValue : nil))
        if !isTaken { world.put(object) }
    }

    private mutating func update<M: WorldModel>(_ model: M.Type) throws {
        let object = draw(model)
        let isThere = world.object(object.modelKey) as M? != nil
        let isTaken = isThere && world.isTaken(object)
        let code = try write { transaction in
            let wasThere = try transaction.update(model, key: object.modelKey) { $0 = object }
            #expect(wasThere == isThere)
        }
        #expect(code == (isTaken ? .duplicateValue : nil))
        if isThere, !isTaken { world.put(object) }
    }

    private mutating func updateQuery<M: WorldModel>(_ model: M.Type) throws {
        let asked = M.ask(world, &random)
        let code = try write { [world] transaction in
            let count = try transaction.update(M.where(asked.condition)) { M.touch(&$0) }
            #expect(count == world.objects(model).count(where: asked.holds), "\(asked.text)")
        }
        #expect(code == nil)
        for object in world.objects(model).filter(asked.holds) {
            var object = object
            M.touch(&object)
            world.put(object)
        }
    }

    private mutating func delete<M: WorldModel>(_ model: M.Type) throws {
        let key = world.drawKey(model, &random)
        let object: M? = world.object(key)
        let isDenied = object.map { world.delete([$0]) == nil } ?? false
        let code = try write { transaction in
            let wasThere = try transaction.delete(model, key: key)
            #expect(wasThere == (object != nil))
        }
        #expect(code == (isDenied ? .referenced : nil))
    }

    private mutating func deleteQuery<M: WorldModel>(_ model: M.Type) throws {
        let asked = M.ask(world, &random)
        let count = world.delete(world.objects(model).filter(asked.holds))
        let code = try write { transaction in
            let gone = try transaction.delete(M.where(asked.condition))
            #expect(gone == count, "\(asked.text)")
        }
        #expect(code == (count == nil ? .referenced : nil), "\(asked.text)")
    }

    /// Undoes changes by throwing: always inside a savepoint, and sometimes also in the transaction
    /// around it.
    private mutating func undo<M: WorldModel>(_ model: M.Type) throws {
        let (object, kept) = (draw(model), draw(model))
        let isWhole = random.isOne(in: 2)
        let isTaken = world.isTaken(kept)
        let code: ObjectError.Code?
        do {
            code = try write { transaction in
                try transaction.upsert(kept)
                do {
                    try transaction.withSavepoint { inner in
                        _ = try inner.delete(model, key: object.modelKey)
                        throw Undone()
                    }
                } catch is Undone {}
                if isWhole { throw Undone() }
            }
        } catch is Undone {
            #expect(isWhole)
            return
        }
        // A link can deny the deletion, and that error undoes the transaction.
        guard code != .referenced else { return }
        #expect(code == (isTaken ? .duplicateValue : nil))
        if code == nil { world.put(kept) }
    }
}

/// Reads.
extension WorldRun {
    private mutating func fetchOne<M: WorldModel>(_ model: M.Type) throws {
        let key = world.drawKey(model, &random)
        let found = try read { try $0.fetch(model, key: key) }
        #expect(found == world.object(key))
        let linked = try read { try $0.fetch(Link<M>(key: key)) }
        #expect(linked == found)
    }

    private mutating func query<M: WorldModel>(_ model: M.Type) throws {
        let asked = combination(of: model)
        var query = M.where(asked.condition)
        let orders = M.orders.shuffled(using: &random).prefix(random.below(3)).map {
            ($0, random.isOne(in: 2))
        }
        for (order, isDescending) in orders {
            query = order.apply(query, isDescending ? .descending : .ascending)
        }
        let limit = random.isOne(in: 2) ? random.below(8) : nil
        if let limit { query = query.limit(limit) }
        let fitting = sorted(world.objects(model).filter(asked.holds), orders)
        let count = min(fitting.count, limit ?? .max)
        let comment = Comment(rawValue: "\(M.modelName): \(asked.text)")
        func check(_ reader: borrowing ObjectSnapshot) throws {
            let found = try reader.fetch(query)
            #expect(found.count == count, comment)
            if orders.isEmpty {
                #expect(Set(found).count == found.count, comment)
                let isSubset = Set(found).isSubset(of: fitting)
                #expect(isSubset, comment)
            } else {
                let isSame = found == Array(fitting.prefix(count))
                #expect(isSame, comment)
            }
            #expect(try reader.count(of: query) == count, comment)
            #expect(try reader.contains(query) == (count > 0), comment)
            let hasKeys = try reader.keys(of: query) == found.map(\.modelKey)
            #expect(hasKeys, comment)
            #expect(try reader.first(of: query) == found.first, comment)
        }
        try read { try check($0) }
        try check(ObjectSnapshot(database.store.makeSnapshot(visibility: .published), bare))
        guard limit == nil, random.isOne(in: 4) else { return }
        try readPages(of: query, fitting, by: 1 + random.below(9), comment)
    }

    /// Reads page after page until one is not full.
    private func readPages<M: WorldModel>(
        of query: Query<M>, _ objects: [M], by count: Int, _ comment: Comment
    ) throws {
        try read { snapshot in
            var found = try snapshot.fetch(query.page(of: count))
            var isFull = found.count == count
            while isFull, let last = found.last {
                let page = try snapshot.fetch(query.page(of: count, after: last))
                found += page
                isFull = page.count == count
            }
            // Compare outside the expectation, which would take minutes to show a difference.
            let isSame = found == objects
            #expect(isSame, comment)
        }
    }

    private mutating func combination<M: WorldModel>(of model: M.Type) -> Asked<M> {
        let (one, other) = (M.ask(world, &random), M.ask(world, &random))
        return switch random.below(6) {
        case 0: Asked("all", { _ in BullaObjects.Condition(.constant(true)) }) { _ in true }
        case 1:
            Asked("not \(one.text)", { !one.condition($0) }) { !one.holds($0) }
        case 2:
            Asked(
                "\(one.text) and \(other.text)", { one.condition($0) && other.condition($0) }
            ) { one.holds($0) && other.holds($0) }
        case 3:
            Asked(
                "\(one.text) or \(other.text)", { one.condition($0) || other.condition($0) }
            ) { one.holds($0) || other.holds($0) }
        default: one
        }
    }

    /// Sorts by the orders, and then by the keys in the direction of the last order.
    private func sorted<M: WorldModel>(
        _ objects: [M], _ orders: [(WorldOrder<M>, Bool)]
    ) -> [M] {
        // The objects come in the order of their keys, which a stable sort keeps.
        let isBackwards = orders.last?.1 ?? false
        let byKey = isBackwards ? objects.reversed() : objects
        return byKey.sorted { one, other in
            for (order, isDescending) in orders {
                let result = order.compare(one, other)
                if result != 0 { return (result < 0) != isDescending }
            }
            return false
        }
    }
}

extension DatabaseSchema {
    /// Bindings for these models with only the indexes that links need, in a store that was made
    /// with the same models.
    fileprivate var bareBindings: _ObjectBindings {
        func numbered(_ name: String, _ number: Int, _ properties: [PropertySchema]) -> (
            String, NumberedType
        ) {
            (name, NumberedType(type: number, properties.map(\.number)))
        }
        return _ObjectBindings(
            withoutIndexes,
            models: Dictionary(
                uniqueKeysWithValues: models.map { numbered($0.name, $0.number, $0.properties) }),
            embedded: Dictionary(
                uniqueKeysWithValues: embedded.map { numbered($0.name, $0.number, $0.properties) }))
    }
}
#endif
