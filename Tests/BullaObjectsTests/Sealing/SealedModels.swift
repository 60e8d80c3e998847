import Bulla
import BullaObjects

/// A hand-written model with one property that is sealed by itself.
struct Member: Model {
    var number: Int
    var name: String
    var pin = Sealed<String>()

    struct Columns: Sendable {
        let number = Column<Member, Int>(0)
        let name = Column<Member, String>(1)
        let pin = SealedColumn<Member, String>(2)
    }

    static let columns = Columns()
    static let modelName = "Member"
    static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("number", Int.self), PropertyDefinition("name", String.self),
            PropertyDefinition("pin", Sealed<String>.self, sealedIn: "pins", history: 2),
        ], key: [0])

    var modelKey: ModelKey<Int> { ModelKey(number) }

    init(_ number: Int, name: String, pin: String) {
        (self.number, self.name, self.pin) = (number, name, Sealed(pin))
    }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        number = try stored.read(at: 0)
        name = try stored.read(at: 1)
        pin = try stored.read(at: 2)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(number, at: 0)
        try draft.write(name, at: 1)
        try draft.write(pin, at: 2)
    }
}

/// A model whose objects are sealed, except for two properties.
struct Login: SealedModel {
    var id: Int
    var site: String
    var user: String
    var notes: [String] = []
    var password: Sealed<Secret>

    struct Columns: Sendable {
        let id = Column<Login, Int>(0)
        let site = Column<Login, String>(1)
        let password = SealedColumn<Login, Secret>(sealed: 2)
    }

    static let columns = Columns()
    static let modelName = "Login"
    static let modelDefinition = ModelDefinition(
        modelName,
        properties: [PropertyDefinition("id", Int.self), PropertyDefinition("site", String.self)],
        sealed: [
            PropertyDefinition("user", String.self), PropertyDefinition("notes", [String].self),
            PropertyDefinition("password", Sealed<Secret>.self, sealedIn: "logins", history: 3),
        ], in: "logins", key: [0], indexes: [IndexDefinition(1)])

    var modelKey: ModelKey<Int> { ModelKey(id) }

    init(_ id: Int, site: String, user: String, password: Secret) {
        (self.id, self.site, self.user, self.password) = (id, site, user, Sealed(password))
    }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        id = try stored.read(at: 0)
        site = try stored.read(at: 1)
        user = try stored.readSealed(at: 0)
        notes = try stored.readSealed(at: 1)
        password = try stored.readSealed(at: 2)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(id, at: 0)
        try draft.write(site, at: 1)
        try draft.writeSealed(user, at: 0)
        try draft.writeSealed(notes, at: 1)
        try draft.writeSealed(password, at: 2)
    }
}
