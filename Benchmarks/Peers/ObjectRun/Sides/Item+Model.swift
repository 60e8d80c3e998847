internal import BullaObjectPeer
internal import BullaObjects
internal import Foundation

/// What `@Model` would write.
extension Item: Model {
    struct Columns: Sendable {
        let number = Column<Item, Int>(0)
        let name = Column<Item, String>(1)
        let team = Column<Item, Int>(2)
        let city = Column<Item, String>(3)
        let joined = Column<Item, Date>(4)
        let rank = Column<Item, Int>(5)
        let balance = Column<Item, Double>(6)
        let note = Column<Item, String>(7)
    }

    static let columns = Columns()
    static let modelName = "Item"
    static let definition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("number", Int.self), PropertyDefinition("name", String.self),
            PropertyDefinition("team", Int.self), PropertyDefinition("city", String.self),
            PropertyDefinition("joined", Date.self), PropertyDefinition("rank", Int.self),
            PropertyDefinition("balance", Double.self), PropertyDefinition("note", String.self),
        ], key: [0], indexes: [IndexDefinition(2), IndexDefinition(3), IndexDefinition(4)])

    var modelKey: ModelKey<Int> { ModelKey(number) }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        self.init(
            number: try stored.read(0), name: try stored.read(1), team: try stored.read(2),
            city: try stored.read(3), joined: try stored.read(4), rank: try stored.read(5),
            balance: try stored.read(6), note: try stored.read(7))
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(number, 0)
        try draft.write(name, 1)
        try draft.write(team, 2)
        try draft.write(city, 3)
        try draft.write(joined, 4)
        try draft.write(rank, 5)
        try draft.write(balance, 6)
        try draft.write(note, 7)
    }
}
