import BullaObjects

/// A hand-written model whose definition is stored, for tests that read most properties by name.
protocol PersonVersion: Model {
    var id: Int { get }
}

extension PersonVersion {
    static var modelName: String { "Person" }
    var modelKey: ModelKey<Int> { ModelKey(id) }
}

/// People with the name in one property, and the age as text.
enum OldPeople {
    struct Person: PersonVersion, Hashable {
        var id: Int
        var name: String
        var label: String
        var age: String

        struct Columns: Sendable { let id = Column<Person, Int>(0) }

        static let columns = Columns()
        static let modelDefinition = ModelDefinition(
            modelName,
            properties: [
                PropertyDefinition("id", Int.self), PropertyDefinition("name", String.self),
                PropertyDefinition("label", String.self), PropertyDefinition("age", String.self),
            ], key: [0])

        init(id: Int, name: String, label: String, age: String) {
            (self.id, self.name, self.label, self.age) = (id, name, label, age)
        }

        init(from stored: borrowing StoredObject) throws(ObjectError) {
            id = try stored.read(at: 0)
            name = try stored.read(at: 1)
            label = try stored.read(at: 2)
            age = try stored.read(at: 3)
        }

        func write(to draft: inout ObjectDraft) throws(ObjectError) {
            try draft.write(id, at: 0)
            try draft.write(name, at: 1)
            try draft.write(label, at: 2)
            try draft.write(age, at: 3)
        }
    }
}

/// People with the name in two properties, one of them with an index; with the age as a number;
/// with the label renamed to title; and with two more properties.
enum NewPeople {
    struct Person: PersonVersion, Hashable {
        var id: Int
        var first: String
        var last: String
        var title: String
        var age: Int
        var weight = 1.5
        var nick: String?

        struct Columns: Sendable {
            let id = Column<Person, Int>(0)
            let last = Column<Person, String>(2)
            let age = Column<Person, Int>(4)
        }

        static let columns = Columns()
        static let modelDefinition = made(isUnique: false)

        static func made(isUnique: Bool) -> ModelDefinition {
            ModelDefinition(
                modelName,
                properties: [
                    PropertyDefinition("id", Int.self), PropertyDefinition("first", String.self),
                    PropertyDefinition("last", String.self),
                    PropertyDefinition("title", String.self, formerName: "label"),
                    PropertyDefinition("age", Int.self), PropertyDefinition("weight") { 1.5 },
                    PropertyDefinition("nick", String?.self),
                ], key: [0], indexes: [IndexDefinition(2, isUnique: isUnique)])
        }

        init(from stored: borrowing StoredObject) throws(ObjectError) {
            id = try stored.read(at: 0)
            first = try stored.read(at: 1)
            last = try stored.read(at: 2)
            title = try stored.read(at: 3)
            age = try stored.read(at: 4)
            weight = try stored.read(at: 5)
            nick = try stored.read(at: 6)
        }

        func write(to draft: inout ObjectDraft) throws(ObjectError) {
            try draft.write(id, at: 0)
            try draft.write(first, at: 1)
            try draft.write(last, at: 2)
            try draft.write(title, at: 3)
            try draft.write(age, at: 4)
            try draft.write(weight, at: 5)
            try draft.write(nick, at: 6)
        }
    }

    static let names = Migration("names in two parts", of: Person.self) { person, _ in
        let name = try person.value("name", as: String.self)
        let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
        try person.set("first", to: parts[0])
        try person.set("last", to: parts.count > 1 ? parts[1] : "")
    }

    static let ages = Migration("ages are numbers", of: Person.self) { person, _ in
        let age = try person.value("age", as: String.self)
        try person.set("age", to: Int(age) ?? -1)
    }
}

/// People with initials in place of their names, and with another key.
enum ShortPeople {
    struct Person: Model, Hashable {
        var initials: String
        var number: Int

        struct Columns: Sendable { let initials = Column<Person, String>(0) }

        static let modelName = "Person"
        static let columns = Columns()
        static let modelDefinition = ModelDefinition(
            modelName,
            properties: [
                PropertyDefinition("initials", String.self),
                PropertyDefinition("number", Int.self, formerName: "id"),
            ], key: [0, 1])

        var modelKey: ModelKey<String, Int> { ModelKey(initials, number) }

        init(from stored: borrowing StoredObject) throws(ObjectError) {
            initials = try stored.read(at: 0)
            number = try stored.read(at: 1)
        }

        func write(to draft: inout ObjectDraft) throws(ObjectError) {
            try draft.write(initials, at: 0)
            try draft.write(number, at: 1)
        }
    }

    static let initials = Migration("initials", of: Person.self) { person, _ in
        let parts = [
            try person.value("first", as: String.self), try person.value("last", as: String.self),
        ]
        let initials = parts.compactMap(\.first).map(String.init).joined()
        if initials.isEmpty { person.delete() } else { try person.set("initials", to: initials) }
    }
}
