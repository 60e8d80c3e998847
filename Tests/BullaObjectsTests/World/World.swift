#if Objects
import Bulla
import BullaObjects
import BullaTestSupport

/// A model whose objects a ``World`` can have.
protocol WorldModel: Model, Hashable {
    /// One of a few keys, so that draws often coincide.
    static func drawKey(_ random: inout TestRandom) -> Key
    static func draw(_ key: Key, _ world: World, _ random: inout TestRandom) -> Self
    /// Changes a property that is not unique.
    static func touch(_ object: inout Self)
    static func ask(_ world: World, _ random: inout TestRandom) -> Asked<Self>
    static var links: [WorldLink<Self>] { get }
    /// The values that must be unique among objects; nil counts as no value.
    static var uniques: [@Sendable (Self) -> AnyHashable?] { get }
    static var orders: [WorldOrder<Self>] { get }
}

extension WorldModel {
    static var links: [WorldLink<Self>] { [] }
    static var uniques: [@Sendable (Self) -> AnyHashable?] { [] }
}

/// A condition for a query, and what it means for an object.
struct Asked<M: WorldModel> {
    let text: String
    let condition: (M.Columns) -> BullaObjects.Condition<M>
    let holds: (M) -> Bool

    init(
        _ text: String, _ condition: @escaping (M.Columns) -> BullaObjects.Condition<M>,
        _ holds: @escaping (M) -> Bool
    ) {
        (self.text, self.condition, self.holds) = (text, condition, holds)
    }
}

/// An order for a query, and a comparison of two objects in that order, whose result is less than,
/// equal to or greater than zero.
struct WorldOrder<M: WorldModel> {
    let apply: (Query<M>, ScanOrder) -> Query<M>
    let compare: (M, M) -> Int

    /// Sorts by a property whose values sort like their bytes.
    static func by<Value: PropertyValue, Sorted: Comparable>(
        _ column: KeyPath<M.Columns, Column<M, Value>>, _ value: @escaping (M) -> Sorted?
    ) -> WorldOrder {
        WorldOrder { query, order in
            query.sorted(by: column, order: order)
        } compare: { one, other in
            switch (value(one), value(other)) {
            case (nil, nil): 0
            case (nil, _): -1
            case (_, nil): 1
            case (let one?, let other?): one < other ? -1 : one == other ? 0 : 1
            }
        }
    }
}

/// The identity of an object of any model.
struct WorldPlace: Hashable {
    let model: String
    let key: AnyHashable

    init<M: WorldModel>(_ model: M.Type, _ key: M.Key) {
        (self.model, self.key) = (M.modelName, AnyHashable(key))
    }

    init<M: WorldModel>(_ object: M) { self.init(M.self, object.modelKey) }
}

/// A property that refers to objects.
struct WorldLink<M: WorldModel> {
    let rule: DeleteRule
    let targets: (M) -> [WorldPlace]
    let forget: (inout M, WorldPlace) -> Void

    static func optional<T: WorldModel>(
        _ path: WritableKeyPath<M, Link<T>?>, _ rule: DeleteRule = .nullify
    ) -> WorldLink {
        WorldLink(rule: rule) { object in
            object[keyPath: path].map { [WorldPlace(T.self, $0.key)] } ?? []
        } forget: { object, _ in
            object[keyPath: path] = nil
        }
    }

    static func one<T: WorldModel>(
        _ path: KeyPath<M, Link<T>>, _ rule: DeleteRule = .deny
    ) -> WorldLink {
        WorldLink(rule: rule) { object in
            [WorldPlace(T.self, object[keyPath: path].key)]
        } forget: { _, _ in
        }
    }

    static func list<T: WorldModel>(
        _ path: WritableKeyPath<M, [Link<T>]>, _ rule: DeleteRule = .nullify
    ) -> WorldLink {
        WorldLink(rule: rule) { object in
            object[keyPath: path].map { WorldPlace(T.self, $0.key) }
        } forget: { object, place in
            object[keyPath: path].removeAll { WorldPlace(T.self, $0.key) == place }
        }
    }
}

/// The expected content of a database, in dictionaries.
struct World {
    static let models: [any WorldModel.Type] = [
        Town.Guild.self, Town.Smith.self, Town.Tool.self, Town.Place.self, Town.Journey.self,
        Town.Note.self, Town.Price.self, Town.Blob.self, Town.Event.self, Town.Pair.self,
        Town.Team.self, Town.Maybe.self,
    ]

    private var shelves: [String: Any] = [:]

    private func shelf<M: WorldModel>(_ model: M.Type) -> WorldShelf<M> {
        shelves[M.modelName] as? WorldShelf<M> ?? WorldShelf()
    }

    /// The objects of a model, in the order of their keys.
    func objects<M: WorldModel>(_ model: M.Type) -> [M] {
        let shelf = shelf(model)
        return shelf.keys.compactMap { shelf.objects[$0] }
    }

    func count<M: WorldModel>(_ model: M.Type) -> Int { shelf(model).keys.count }

    func object<M: WorldModel>(_ key: M.Key) -> M? { shelf(M.self).objects[key] }

    func object<M: WorldModel>(_ link: Link<M>?) -> M? { link.flatMap { object($0.key) } }

    mutating func put<M: WorldModel>(_ object: M) {
        var shelf = shelf(M.self)
        shelf.put(object)
        shelves[M.modelName] = shelf
    }

    private mutating func remove<M: WorldModel>(_ key: M.Key, _ model: M.Type) {
        var shelf = shelf(M.self)
        shelf.remove(key)
        shelves[M.modelName] = shelf
    }

    /// The key of an existing object or, sometimes, any key.
    func drawKey<M: WorldModel>(_ model: M.Type, _ random: inout TestRandom) -> M.Key {
        let keys = shelf(model).keys
        return keys.isEmpty || random.isOne(in: 8) ? M.drawKey(&random) : random.pick(keys)
    }

    func drawLink<M: WorldModel>(_ random: inout TestRandom) -> Link<M> {
        Link(key: drawKey(M.self, &random))
    }

    func drawLink<M: WorldModel>(_ random: inout TestRandom) -> Link<M>? {
        random.isOne(in: 3) ? nil : Link(key: drawKey(M.self, &random))
    }

    func drawLinks<M: WorldModel>(_ random: inout TestRandom) -> [Link<M>] {
        (0..<random.below(4)).map { _ in Link(key: drawKey(M.self, &random)) }
    }

    /// Whether another object has a value of this one that must be unique.
    func isTaken<M: WorldModel>(_ object: M) -> Bool {
        M.uniques.contains { unique in
            guard let own = unique(object) else { return false }
            return objects(M.self).contains {
                $0.modelKey != object.modelKey && unique($0) == own
            }
        }
    }
}

/// Deletion.
extension World {
    /// Deletes objects and everything that their links require; returns how many went, or `nil` if
    /// a link denies it.
    mutating func delete<M: WorldModel>(_ objects: [M]) -> Int? {
        var (gone, next) = (objects.map { WorldPlace($0) }, 0)
        var known = Set(gone)
        var denying: [WorldPlace] = []
        while next < gone.count {
            for (place, rule) in referrers(to: gone[next]) {
                switch rule {
                case .cascade: if known.insert(place).inserted { gone.append(place) }
                case .deny: denying.append(place)
                case .nullify: break
                }
            }
            next += 1
        }
        guard denying.allSatisfy(known.contains) else { return nil }
        for place in gone { forget(place) }
        for model in Self.models { remove(known, model) }
        return gone.count
    }

    private func referrers(to place: WorldPlace) -> [(WorldPlace, DeleteRule)] {
        func find<M: WorldModel>(_ model: M.Type) -> [(WorldPlace, DeleteRule)] {
            let links = M.links
            guard !links.isEmpty else { return [] }
            return objects(model).flatMap { object in
                links.filter { $0.targets(object).contains(place) }.map {
                    (WorldPlace(object), $0.rule)
                }
            }
        }
        return Self.models.flatMap { find($0) }
    }

    private mutating func forget(_ place: WorldPlace) {
        func forget<M: WorldModel>(_ model: M.Type, _ world: inout World) {
            for link in M.links where link.rule == .nullify {
                for object in world.objects(model) where link.targets(object).contains(place) {
                    var object = object
                    link.forget(&object, place)
                    world.put(object)
                }
            }
        }
        for model in Self.models { forget(model, &self) }
    }

    private mutating func remove<M: WorldModel>(_ places: Set<WorldPlace>, _ model: M.Type) {
        for object in objects(model) where places.contains(WorldPlace(object)) {
            remove(object.modelKey, model)
        }
    }
}

/// The objects of one model.
struct WorldShelf<M: WorldModel> {
    private(set) var objects: [M.Key: M] = [:]
    /// In order, so that a seed reproduces the draws.
    private(set) var keys: [M.Key] = []
    private var bytes: [[UInt8]] = []

    mutating func put(_ object: M) {
        let key = object.modelKey
        guard objects.updateValue(object, forKey: key) == nil else { return }
        let own = OrderedKey(key.parts).bytes
        let rank = rank(of: own)
        keys.insert(key, at: rank)
        bytes.insert(own, at: rank)
    }

    mutating func remove(_ key: M.Key) {
        guard objects.removeValue(forKey: key) != nil else { return }
        let rank = rank(of: OrderedKey(key.parts).bytes)
        keys.remove(at: rank)
        bytes.remove(at: rank)
    }

    private func rank(of key: [UInt8]) -> Int {
        var (low, high) = (0, bytes.count)
        while low < high {
            let middle = (low + high) / 2
            if bytes[middle].lexicographicallyPrecedes(key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
#endif
