#if Objects
import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

/// A kennel, as in the tutorials of object databases.
enum Kennel {
    enum Size: String, Storable { case small, large }

    @Embedded struct Address: Hashable {
        var street: String
        var city = "Ur"
    }

    @Model struct Person: Hashable {
        @Key var id: Int
        @Indexed var name: String
        var nickname: String?
        var address: Address?
        var dogs: [Link<Dog>] = []
        var phones: [String: String] = [:]
    }

    @Model struct Dog: Hashable {
        @Key var name: String
        var age = 1
        var size = Size.small
        var toys: [String] = []
        var owner: Link<Person>?
        @Backlinks(\Person.dogs) var walkers: Backlinks<Person>
    }
}

/// The next version of the kennel's program, in which one property of dogs is renamed, one is new,
/// and their links are gone.
enum NextKennel {
    @Model struct Dog: Hashable {
        @Key var name: String
        @Renamed(from: "age") var years = 1
        var size = Kennel.Size.small
        var toys: [String] = []
        @Indexed var weight = 9.5
    }
}

/// What users of a live-object database expect.
///
/// Each expectation is checked after the store was closed and opened again, with an encrypted store
/// and with a plain one.
@Suite(.serialized) struct `An object database that is opened again` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> ObjectDatabase {
        var options = StoreOptions()
        options.suite = kind.suite
        return try ObjectDatabase.open(
            at: scratch.path("kennel.bulla"), key: kind.key(), options: options,
            models: Kennel.Person.self, Kennel.Dog.self)
    }

    /// Changes objects, closes the store, and opens it again.
    private func reopened(
        _ kind: StoreKind, after body: (inout ObjectTransaction) throws -> Void
    ) throws -> ObjectDatabase {
        let database = try open(kind)
        try database.write(body)
        try database.store.close()
        return try open(kind)
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `has one object of a key, which an upsert replaces`(kind: StoreKind) throws {
        var database = try reopened(kind) { transaction in
            try transaction.upsert(Kennel.Dog(name: "Rex", age: 1))
            try transaction.upsert(Kennel.Dog(name: "Rex", age: 2))
        }
        #expect(try database.read { try $0.fetch(Kennel.Dog.all).map(\.age) } == [2])
        let error = #expect(throws: ObjectError.self) {
            try database.write { try $0.insert(Kennel.Dog(name: "Rex")) }
        }
        #expect(error?.code == .duplicateKey)
        try database.store.close()
        database = try reopened(kind) { try $0.delete(Kennel.Dog.self, key: "Rex") }
        #expect(try database.read { try $0.count(of: Kennel.Dog.all) } == 0)
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `has optionals, lists, dictionaries, enums and embedded values`(
        kind: StoreKind
    ) throws {
        let person = Kennel.Person(
            id: 1, name: "Shulgi", address: Kennel.Address(street: "Gate"),
            dogs: [Link(key: "Rex"), Link(key: "Rex")],
            phones: ["home": "1", "": "2"])
        let dog = Kennel.Dog(name: "Rex", size: .large, toys: ["ball", "ball", ""])
        let database = try reopened(kind) { transaction in
            try transaction.insert(person)
            try transaction.insert(dog)
        }
        try database.read { snapshot in
            #expect(try snapshot.fetch(Kennel.Person.self, key: 1) == person)
            #expect(try snapshot.fetch(Kennel.Dog.self, key: "Rex") == dog)
            let found = Kennel.Person.where {
                $0.nickname == nil && $0.address.city == "Ur" && $0.phones.hasKey("home")
            }
            #expect(try snapshot.count(of: found) == 1)
            #expect(try snapshot.count(of: Kennel.Dog.where { $0.size == .large }) == 1)
            let plan = try snapshot.explain(Kennel.Person.where { $0.name == "Shulgi" })
            #expect(plan.contains("the index of Person.name"))
        }
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `leads along links and back`(kind: StoreKind) throws {
        let owner = Kennel.Person(id: 1, name: "Shulgi")
        let database = try reopened(kind) { transaction in
            try transaction.insert(owner)
            for name in ["Rex", "Max"] {
                try transaction.insert(Kennel.Dog(name: name, owner: Link(owner)))
            }
            let rex = Link<Kennel.Dog>(key: ModelKey("Rex"))
            for id in 2...4 {
                try transaction.insert(Kennel.Person(id: id, name: "walker", dogs: [rex]))
            }
        }
        try database.read { snapshot in
            let rex = try #require(try snapshot.fetch(Kennel.Dog.self, key: "Rex"))
            #expect(try rex.owner.map { try snapshot.fetch($0)?.name } == "Shulgi")
            #expect(try snapshot.count(of: rex.walkers.query) == 3)
            #expect(try snapshot.count(of: Kennel.Dog.where { $0.walkers.count == 0 }) == 1)
        }
        // Deleted objects leave no references behind.
        try database.write { transaction in
            _ = try transaction.delete(Kennel.Person.self, key: 1)
            _ = try transaction.delete(Kennel.Dog.self, key: "Rex")
        }
        try database.read { snapshot in
            let (dog, people) = (
                try snapshot.fetch(Kennel.Dog.self, key: "Max"),
                try snapshot.fetch(Kennel.Person.all)
            )
            #expect(dog != nil && dog?.owner == nil)
            #expect(people.count == 3 && people.allSatisfy { $0.dogs.isEmpty })
        }
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `has its snapshot stand still, and undoes what threw`(kind: StoreKind) throws {
        struct Stop: Error {}
        let database = try reopened(kind) { try $0.insert(Kennel.Dog(name: "Rex")) }
        let frozen = try database.makeSnapshot()
        try database.write { _ = try $0.update(Kennel.Dog.self, key: "Rex") { $0.age = 5 } }
        #expect(throws: Stop.self) {
            try database.write { transaction in
                try transaction.insert(Kennel.Dog(name: "Max"))
                throw Stop()
            }
        }
        #expect(try frozen.fetch(Kennel.Dog.self, key: "Rex")?.age == 1)
        #expect(try database.read { try $0.fetch(Kennel.Dog.all).map(\.age) } == [5])
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `takes over what a newer program has renamed and added`(kind: StoreKind) throws {
        let database = try reopened(kind) { try $0.insert(Kennel.Dog(name: "Rex", age: 7)) }
        try database.store.close()
        var options = StoreOptions()
        options.suite = kind.suite
        for _ in 0..<2 {
            let next = try ObjectDatabase.open(
                at: scratch.path("kennel.bulla"), key: kind.key(), options: options,
                models: NextKennel.Dog.self)
            let dogs = try next.read { try $0.fetch(NextKennel.Dog.where { $0.weight > 9 }) }
            #expect(dogs == [NextKennel.Dog(name: "Rex", years: 7)])
            try next.store.close()
        }
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `is compacted to a file that has the same objects`(kind: StoreKind) throws {
        let database = try reopened(kind) { transaction in
            for number in 0..<2_000 {
                try transaction.insert(Kennel.Dog(name: "\(number)", toys: ["\(number)"]))
            }
        }
        try database.write { try $0.delete(Kennel.Dog.where { $0.name.hasPrefix("1") }) }
        let dogs = try database.read { try $0.fetch(Kennel.Dog.all) }
        var options = StoreOptions()
        options.suite = kind.suite
        try database.store.compact(
            to: scratch.path("small.bulla"), key: kind.key(), options: options)
        try database.store.close()
        let small = try ObjectDatabase.open(
            at: scratch.path("small.bulla"), key: kind.key(), options: options,
            models: Kennel.Person.self, Kennel.Dog.self)
        let isSame = try small.read { try $0.fetch(Kennel.Dog.all) } == dogs
        #expect(isSame && dogs.count == 889)
        #expect(try small.store.check().isSound)
    }
}
#endif
