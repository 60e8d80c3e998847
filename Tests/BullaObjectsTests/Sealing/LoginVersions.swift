import Bulla
import BullaObjects

/// The logins of a later program, under another name.
///
/// They have a sealed count of uses and a visible owner; notes are gone.
struct Account: SealedModel {
    var id: Int
    var site: String
    var owner: String?
    var user: String
    var useCount = 5
    var password: Sealed<Secret>

    struct Columns: Sendable {
        let id = Column<Account, Int>(0)
        let site = Column<Account, String>(1)
        let owner = Column<Account, String?>(2)
        let password = SealedColumn<Account, Secret>(sealed: 2)
    }

    static let columns = Columns()
    static let modelName = "Account"
    static let modelDefinition = ModelDefinition(
        modelName, formerName: "Login",
        properties: [
            PropertyDefinition("id", Int.self), PropertyDefinition("site", String.self),
            PropertyDefinition("owner", String?.self),
        ],
        sealed: [
            PropertyDefinition("user", String.self), PropertyDefinition("useCount", initial: { 5 }),
            PropertyDefinition("password", Sealed<Secret>.self, sealedIn: "logins", history: 3),
        ], in: "logins", key: [0], indexes: [IndexDefinition(1)])

    var modelKey: ModelKey<Int> { ModelKey(id) }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        id = try stored.read(at: 0)
        site = try stored.read(at: 1)
        owner = try stored.read(at: 2)
        user = try stored.readSealed(at: 0)
        useCount = try stored.readSealed(at: 1)
        password = try stored.readSealed(at: 2)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(id, at: 0)
        try draft.write(site, at: 1)
        try draft.write(owner, at: 2)
        try draft.writeSealed(user, at: 0)
        try draft.writeSealed(useCount, at: 1)
        try draft.writeSealed(password, at: 2)
    }
}

/// Members whose number, which is their key, is a text.
struct NamedMember: Model {
    var number: String
    var pin = Sealed<String>()

    struct Columns: Sendable {
        let number = Column<NamedMember, String>(0)
        let pin = SealedColumn<NamedMember, String>(1)
    }

    static let columns = Columns()
    static let modelName = "Member"
    static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("number", String.self),
            PropertyDefinition("pin", Sealed<String>.self, sealedIn: "pins", history: 2),
        ], key: [0])

    var modelKey: ModelKey<String> { ModelKey(number) }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        number = try stored.read(at: 0)
        pin = try stored.read(at: 1)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(number, at: 0)
        try draft.write(pin, at: 1)
    }
}

/// Members without names, whose pins have another type or keep fewer former values: none, or one.
struct ShortMember<Pin: Sealable, Limit: HistoryLimit>: Model {
    var number: Int
    var pin = Sealed<Pin>()

    struct Columns: Sendable {
        let number = Column<ShortMember, Int>(0)
        let pin = SealedColumn<ShortMember, Pin>(1)
    }

    static var columns: Columns { Columns() }
    static var modelName: String { "Member" }
    static var modelDefinition: ModelDefinition {
        ModelDefinition(
            modelName,
            properties: [
                PropertyDefinition("number", Int.self),
                PropertyDefinition(
                    "pin", Sealed<Pin>.self, sealedIn: "pins", history: Limit.count),
            ], key: [0])
    }

    var modelKey: ModelKey<Int> { ModelKey(number) }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        number = try stored.read(at: 0)
        pin = try stored.read(at: 1)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(number, at: 0)
        try draft.write(pin, at: 1)
    }
}

protocol HistoryLimit: Sendable {
    static var count: Int { get }
}

enum NoHistory: HistoryLimit { static let count = 0 }
enum OneFormer: HistoryLimit { static let count = 1 }
