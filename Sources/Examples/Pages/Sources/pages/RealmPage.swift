import Bulla
import BullaObjects
import Foundation

/// The samples of `ComingFromRealm.md`, in its order.
struct RealmPage {
    static let source = #filePath
    let key: StoreKey

    init() throws { key = try StoreKey.random() }

    func run() async throws {
        try await inFolder("The same program") { try await program() }
        try await inFolder("Renaming") { try renaming() }
    }

    enum Kind: Int, Storable { case dog, cat }

    @Embedded struct Chip: Hashable {
        var maker: String
        var number: Int
    }

    @Model struct Pet: Hashable {
        @Key var id = UUID()
        @Indexed var name: String
        var age = 0
        var kind = Kind.dog
        var chip: Chip?
        var marks: [String: Int] = [:]
        @Backlinks(\Person.pets) var owners: Backlinks<Person>
    }

    @Model struct Person: Hashable {
        @Key var id = UUID()
        var name: String
        var pets: [Link<Pet>] = []
    }

    private func program() async throws {
        let rex = try await write()
        let database = try await ObjectDatabase.open(
            at: "pets.bulla", key: key, models: Pet.self, Person.self)
        try await compare(rex, database)
        async let end: Void = watch(database)
        try await database.write { try $0.delete(Pet.all) }
        try await end
        try await database.store.close()
    }

    private func write() async throws -> Pet {
        let database = try await ObjectDatabase.open(
            at: "pets.bulla", key: key, models: Pet.self, Person.self)

        let rex = Pet(name: "Rex", age: 3, chip: Chip(maker: "Ur", number: 7))
        try await database.write { transaction in
            try transaction.insert(rex)
            try transaction.insert(Person(name: "Ada", pets: [Link(rex)]))
        }
        try await database.write { transaction in
            try transaction.update(Pet.self, key: rex.id) { $0.age += 1 }
        }
        let old = try await database.read { snapshot in
            try snapshot.fetch(
                Pet.where { $0.age > 3 && $0.owners.any { $0.name == "Ada" } }.sorted(by: \.name))
        }
        print(old.map(\.name))  // "Rex": plain values, which may go to any task
        print(old.count)
        try await database.store.close()
        return rex
    }

    private func compare(_ rex: Pet, _ database: ObjectDatabase) async throws {
        let snapshot = try database.makeSnapshot()
        try await database.write { transaction in
            try transaction.update(Pet.self, key: rex.id) { $0.age = 14 }
        }
        let then = try snapshot.fetch(Pet.self, key: rex.id)?.age  // 4
        let now = try await database.read { try $0.fetch(Pet.self, key: rex.id)?.age }  // 14
        guard then == 4, now == 14 else { throw CocoaError(.coderInvalidValue) }
    }

    private func watch(_ database: ObjectDatabase) async throws {
        for try await change in database.changes(of: Pet.where { $0.age > 3 }) {
            show(change.inserted, change.updated, change.removed)
            if change.resultCount == 0 { break }
        }
    }

    private func show(_ inserted: [Pet], _ updated: [Pet], _ removed: [Pet.Key]) {
        print(inserted.count, updated.count, removed.count)
    }

    private func renaming() throws {
        let path = "people.bulla"
        let former = try ObjectDatabase.open(at: path, key: key, models: Former.Owner.self)
        try former.write { try $0.insert(Former.Owner(id: 1, first: "Ada", last: "King")) }
        try former.store.close()
        let fullNames = Migration("full names", of: Owner.self) { owner, _ in
            let first = try owner.value("first", as: String.self)
            try owner.set("fullName", to: "\(first) \(owner.value("last", as: String.self))")
        }
        let database = try ObjectDatabase.open(
            at: path, key: key, models: Owner.self, migrations: [fullNames])
        let owner = try database.read { try $0.fetch(Owner.self, key: 1) }
        guard owner?.fullName == "Ada King" else { throw CocoaError(.coderInvalidValue) }
        try database.store.close()
    }

    enum Former {
        @Model struct Owner {
            @Key var id: Int
            var first: String
            var last: String
        }
    }

    @Model struct Owner {
        @Key var id: Int
        var fullName: String
        var age = 0
        @Renamed(from: "phone") var telephone: String?
    }
}
