import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

/// Older and newer versions of a program that share one schema.
@Suite struct `A schema that several programs know` {
    private static let id = PropertyDefinition("id", Int.self)
    private static let name = PropertyDefinition("name", String.self)

    private func model(
        _ name: String, from formerName: String? = nil, _ properties: [PropertyDefinition]
    ) -> ModelDefinition {
        ModelDefinition(
            name, formerName: formerName, properties: [Self.id] + properties, key: [0])
    }

    private func match(
        _ definitions: [ModelDefinition], to schema: DatabaseSchema = DatabaseSchema(),
        _ migrations: [Migration] = []
    ) throws(ObjectError) -> DatabaseSchema {
        try SchemaMatch(
            definitions, to: schema, keyByteLimit: 1024, migrations: migrations
        ).schema
    }

    @Test func `tells models apart that are declared alike`() throws {
        let twins = [model("Tag", [Self.name]), model("Kind", [Self.name])]
        let schema = try match(twins + [model("Third", [])], to: match(twins))
        let found = try FormerMatch(twins, in: schema).models
        let numbers = twins.map { found[$0.name]?.type }
        #expect(numbers == twins.map { schema.model(named: $0.name)?.number })
        #expect(numbers[0] != numbers[1])
    }

    @Test func `refuses two models, or embedded types, of one name`() throws {
        let twice = #expect(throws: ObjectError.self) {
            try match([model("Tag", []), model("Tag", [Self.name])])
        }
        #expect(twice?.code == .invalidModel)
        let places = [
            PropertyDefinition("one", First.Place.self),
            PropertyDefinition("two", Second.Place.self),
        ]
        let embedded = #expect(throws: ObjectError.self) { try match([model("Tag", places)]) }
        #expect(embedded?.code == .invalidModel)
    }

    private enum First {
        struct Place: TestPlace {
            static let embeddedDefinition = EmbeddedDefinition(
                embeddedName, properties: [PropertyDefinition("a", Int.self)])
            init() {}
        }
    }

    private enum Second {
        struct Place: TestPlace {
            static let embeddedDefinition = EmbeddedDefinition(
                embeddedName, properties: [PropertyDefinition("b", Int.self)])
            init() {}
        }
    }

    @Test func `does not begin a model anew that a newer program has renamed`() throws {
        let old = model("Village", [Self.name])
        let new = try match([model("City", from: "Village", [Self.name])], to: match([old]))
        let error = #expect(throws: ObjectError.self) { try match([old], to: new) }
        #expect(error?.code == .schemaChanged)
    }

    @Test func `is left alone by a program that lacks a migration which was run`() throws {
        let step = Migration("step", of: OldPeople.Person.self) { _, _ in }
        let first = try match([model("Person", [Self.name])])
        let second = try match(
            [model("Person", [PropertyDefinition("age", Int.self)])], to: first, [step])
        // The store never had this form, because it skipped the program's version between these
        // two.
        let between = model("Person", [PropertyDefinition("nick", String?.self)])
        let error = #expect(throws: ObjectError.self) { try match([between], to: second) }
        #expect(error?.code == .schemaChanged)
        #expect(throws: Never.self) { try match([between], to: second, [step]) }
    }

    @Test func `keeps migrations of models that a program does not declare for the one that does`()
        throws
    {
        let step = Migration("step", of: OldPeople.Person.self) { _, _ in }
        let first = try match([model("Person", [Self.name]), model("Company", [])])
        let nick = PropertyDefinition("nick", String?.self)
        let helper = try match([model("Company", [nick])], to: first, [step])
        #expect(helper.migrations.isEmpty)
    }

    @Test func `is not believed: a form that is too short is refused`() throws {
        let definition = model("Tag", [Self.name])
        let schema = try match([definition, model("Other", [])], to: match([definition]))
        let json = String(decoding: try JSONEncoder().encode(schema), as: UTF8.self)
        let cut = json.replacingOccurrences(of: "\"numbers\":[0,1]", with: "\"numbers\":[]")
        #expect(cut != json)
        let read = try SchemaTree.schema(of: Array(cut.utf8))
        let error = #expect(throws: ObjectError.self) { try FormerMatch([definition], in: read) }
        #expect(error?.code == .schemaChanged)
    }
}

/// An embedded type of which only the name and the definition matter.
private protocol TestPlace: Embedded where Columns == Void { init() }

extension TestPlace {
    static var columns: Void { () }
    static var embeddedName: String { "Place" }
    init(from stored: borrowing StoredObject) throws(ObjectError) { self.init() }
    func write(to draft: inout ObjectDraft) throws(ObjectError) {}
}
