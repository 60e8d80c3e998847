import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

/// A model with a property of each shape that conditions can name.
struct Note: Model {
    var id: Int
    var text: String
    var hint: String?
    var bytes = Data()
    var other: String?
    var tags: Set<String> = []
    var marks: [String: Int] = [:]
    var places: [Address] = []
    var home = Address(street: "")
    var next: [Link<Note>] = []
    var author: Link<Employee>

    struct Columns: Sendable {
        let id = Column<Note, Int>(0)
        let text = Column<Note, String>(1)
        let hint = Column<Note, String?>(2)
        let bytes = Column<Note, Data>(3)
        let other = Column<Note, String?>(4)
        let tags = Column<Note, Set<String>>(5)
        let marks = Column<Note, [String: Int]>(6)
        let places = Column<Note, [Address]>(7)
        let home = Column<Note, Address>(8)
        let next = Column<Note, [Link<Note>]>(9)
        let author = Column<Note, Link<Employee>>(10)
    }

    static let columns = Columns()
    static let modelName = "Note"
    static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("id", Int.self), PropertyDefinition("text", String.self),
            PropertyDefinition("hint", String?.self), PropertyDefinition("bytes", Data.self),
            PropertyDefinition("other", String?.self), PropertyDefinition("tags", Set<String>.self),
            PropertyDefinition("marks", [String: Int].self),
            PropertyDefinition("places", [Address].self), PropertyDefinition("home", Address.self),
            PropertyDefinition("next", [Link<Note>].self),
            PropertyDefinition("author", Link<Employee>.self, deleteRule: .cascade),
        ], key: [0])

    var modelKey: ModelKey<Int> { ModelKey(id) }

    init(_ id: Int, _ text: String, by author: Int) {
        (self.id, self.text, self.author) = (id, text, Link(key: author))
    }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        id = try stored.read(at: 0)
        text = try stored.read(at: 1)
        hint = try stored.read(at: 2)
        bytes = try stored.read(at: 3)
        other = try stored.read(at: 4)
        tags = try stored.read(at: 5)
        marks = try stored.read(at: 6)
        places = try stored.read(at: 7)
        home = try stored.read(at: 8)
        next = try stored.read(at: 9)
        author = try stored.read(at: 10)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(id, at: 0)
        try draft.write(text, at: 1)
        try draft.write(hint, at: 2)
        try draft.write(bytes, at: 3)
        try draft.write(other, at: 4)
        try draft.write(tags, at: 5)
        try draft.write(marks, at: 6)
        try draft.write(places, at: 7)
        try draft.write(home, at: 8)
        try draft.write(next, at: 9)
        try draft.write(author, at: 10)
    }
}

@Suite struct `Columns in conditions` {
    private let scratch: Scratch
    private let database: ObjectDatabase

    init() throws {
        scratch = try Scratch()
        database = try ObjectDatabase.open(
            at: scratch.path("notes.bulla"), key: StoreKind.gcm.key(), models: Company.self,
            Employee.self, Note.self)
        try database.write { transaction in
            var boss = Employee(number: 1, name: "Enlil")
            boss.home = Address(street: "Gate")
            try transaction.insert(boss)
            var poet = Employee(number: 2, name: "Enheduanna")
            poet.boss = Link(boss)
            try transaction.insert(poet)
            var one = Note(1, "tablet", by: 1)
            (one.hint, one.other, one.bytes) = ("Clay", "Clay", Data([1, 2, 3]))
            (one.tags, one.marks) = (["a", "b"], ["x": 3])
            one.home = Address(street: "Wall", lines: ["l"])
            try transaction.insert(one)
            var two = Note(2, "seal", by: 2)
            (two.hint, two.other) = ("Clay", "Reed")
            (two.places, two.next) = ([Address(street: "Gate")], [Link(one)])
            try transaction.insert(two)
            try transaction.insert(Note(3, "Tab", by: 2))
        }
    }

    private func expect(
        _ ids: [Int], _ location: SourceLocation = #_sourceLocation,
        _ condition: (Note.Columns) -> BullaObjects.Condition<Note>
    ) throws {
        let query = Note.where(condition)
        let found = try database.read { try $0.fetch(query).map(\.id).sorted() }
        #expect(found == ids, sourceLocation: location)
    }

    @Test func `look for text and data, nil or not, and whatever the case`() throws {
        try expect([1]) { $0.text.hasPrefix("tab") }
        try expect([1, 3]) { $0.text.hasPrefixIgnoringCase("TAB") }
        try expect([1, 2]) { $0.hint.hasPrefix("Cl") }
        try expect([1, 2]) { $0.hint.contains("la") }
        try expect([1, 2]) { $0.hint.equalsIgnoringCase("clay") }
        try expect([2]) { $0.other.containsIgnoringCase("EE") }
        try expect([1]) { $0.bytes.contains(Data([2, 3])) }
        try expect([1]) { $0.bytes.hasPrefix(Data([1])) }
    }

    @Test func `look into sets, dictionaries and embedded values`() throws {
        try expect([1]) { $0.tags.contains("b") }
        try expect([1]) { $0.marks.has(3, forKey: "x") }
        try expect([1]) { $0.marks.hasKey("x") }
        try expect([2, 3]) { !$0.marks.hasKey("x") }
        try expect([1]) { $0.home.street == "Wall" }
        try expect([1]) { $0.home.lines.contains("l") }
        try expect([2]) { $0.places.any { $0.street == "Gate" } }
        try expect([1, 3]) { $0.places.none { $0.street == "Gate" } }
        try expect([1, 2, 3]) { $0.places.all { $0.street == "Gate" } }
    }

    @Test func `count what there is`() throws {
        try expect([1]) { $0.tags.count > 1 }
        try expect([2, 3]) { $0.tags.count == 0 }
        try expect([2]) { $0.next.count >= 1 }
        try expect([1, 3]) { $0.next.count != 1 }
        try expect([1, 3]) { $0.next.count < 1 }
        try expect([1, 2, 3]) { $0.next.count <= 1 }
    }

    @Test func `follow links, and ask what refers to an object`() throws {
        let one = Note(1, "", by: 1)
        try expect([2]) { $0.next.contains(Link(one)) }
        try expect([2]) { $0.next.any { $0.text == "tablet" } }
        try expect([1, 3]) { $0.next.none { $0.text == "tablet" } }
        try expect([2, 3]) { $0.author.name == "Enheduanna" }
        try expect([2, 3]) { $0.author.boss.name == "Enlil" }
        try expect([1]) { $0.author.home.street == "Gate" }
        let author = try #require(try database.read { try $0.fetch(Employee.self, key: 1) })
        try expect([1]) { $0.author == author }
        try expect([2, 3]) { $0.author != author }
        let firm = Company(name: "Ur")
        try database.write { transaction in
            try transaction.insert(firm)
            try transaction.update(Employee.self, key: 2) { $0.company = Link(firm) }
        }
        try database.read { snapshot in
            let all = try snapshot.fetch(Company.where { $0.staff.count == 1 })
            #expect(all.map(\.name) == ["Ur"])
            #expect(try snapshot.count(of: Company.where { $0.staff.any { $0.number == 2 } }) == 1)
            #expect(try snapshot.count(of: Company.where { $0.staff.none { $0.number == 2 } }) == 0)
            #expect(try snapshot.count(of: Company.where { $0.staff.all { $0.number > 2 } }) == 0)
            #expect(try snapshot.fetch(firm.staff.query).map(\.number) == [2])
            let notes = try snapshot.fetch(Note.where { $0.author.company.name == "Ur" })
            #expect(notes.map(\.id) == [2, 3])
        }
    }

    @Test func `compare one with another`() throws {
        try expect([1, 3]) { $0.hint.equals($0.other) }
        try expect([2]) { $0.hint.isLess(than: $0.other) }
        try expect([3]) { $0.text.isLess(than: $0.home.street) || $0.id == 3 }
    }
}
