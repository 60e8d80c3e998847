import Bulla
package import BullaObjects
import BullaTestSupport

/// Opens a store with newer models and their migrations.
package struct MigrateJob {
    /// How many bytes of pages the store may cache.
    package static let cacheByteLimit = 32 << 20

    private let command: ObjectsCommand

    init(_ command: ObjectsCommand) throws { self.command = command }

    func run() throws {
        let store = try command.open(cacheByteLimit: Self.cacheByteLimit)
        Line.say("ready")
        let memory = MemoryWatch()
        _ = try ObjectDatabase(
            store, models: [NewScribe.self], migrations: [NewScribe.names])
        Line.say("growth=\(memory.growth())")
        try store.close()
    }
}

/// The former model, with the name in one property.
package struct OldScribe: Model {
    package var id: Int
    package var name: String
    package var label: String

    package struct Columns: Sendable {
        package let id = Column<OldScribe, Int>(0)
    }

    package static let columns = Columns()
    package static let modelName = "Scribe"
    package static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("id", Int.self), PropertyDefinition("name", String.self),
            PropertyDefinition("label", String.self),
        ], key: [0])

    package var modelKey: ModelKey<Int> { ModelKey(id) }

    package init(_ id: Int) { (self.id, name, label) = (id, "Ada \(id)", "l\(id)") }

    package init(from stored: borrowing StoredObject) throws(ObjectError) {
        id = try stored.read(at: 0)
        name = try stored.read(at: 1)
        label = try stored.read(at: 2)
    }

    package func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(id, at: 0)
        try draft.write(name, at: 1)
        try draft.write(label, at: 2)
    }

    /// Whether it is the object that was written.
    package var isWhole: Bool { name == "Ada \(id)" && label == "l\(id)" }
}

/// The new model, with the name in two properties, the label renamed to title, two more properties,
/// and one more index.
package struct NewScribe: Model {
    package var id: Int
    package var first: String
    package var last: String
    package var title: String
    package var weight: Double
    package var nick: String?

    package struct Columns: Sendable {
        package let id = Column<NewScribe, Int>(0)
        package let last = Column<NewScribe, String>(2)
    }

    package static let columns = Columns()
    package static let modelName = "Scribe"
    package static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("id", Int.self), PropertyDefinition("first", String.self),
            PropertyDefinition("last", String.self),
            PropertyDefinition("title", String.self, formerName: "label"),
            PropertyDefinition("weight") { 1.5 }, PropertyDefinition("nick", String?.self),
        ], key: [0], indexes: [IndexDefinition(2)])

    package static let names = Migration("names in two parts", of: NewScribe.self) { scribe, _ in
        let name = try scribe.value("name", as: String.self)
        let parts = name.split(separator: " ").map { String($0) }
        try scribe.set("first", to: parts[0])
        try scribe.set("last", to: parts[1])
    }

    package var modelKey: ModelKey<Int> { ModelKey(id) }

    package init(from stored: borrowing StoredObject) throws(ObjectError) {
        id = try stored.read(at: 0)
        first = try stored.read(at: 1)
        last = try stored.read(at: 2)
        title = try stored.read(at: 3)
        weight = try stored.read(at: 4)
        nick = try stored.read(at: 5)
    }

    package func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(id, at: 0)
        try draft.write(first, at: 1)
        try draft.write(last, at: 2)
        try draft.write(title, at: 3)
        try draft.write(weight, at: 4)
        try draft.write(nick, at: 5)
    }

    /// Whether it is the migrated form of the old object.
    package var isWhole: Bool {
        first == "Ada" && last == "\(id)" && title == "l\(id)" && weight == 1.5 && nick == nil
    }
}
