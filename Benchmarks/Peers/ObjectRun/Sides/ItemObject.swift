internal import BullaObjectPeer
internal import BullaObjects
internal import Foundation

/// An item as an object of Bulla, with the code that `@Model` would write.
struct ItemObject: Model {
    var item: Item

    struct Columns: Sendable {
        let number = Column<ItemObject, Int>(0)
        let name = Column<ItemObject, String>(1)
        let team = Column<ItemObject, Int>(2)
        let city = Column<ItemObject, String>(3)
        let joined = Column<ItemObject, Date>(4)
        let rank = Column<ItemObject, Int>(5)
        let balance = Column<ItemObject, Double>(6)
        let note = Column<ItemObject, String>(7)
    }

    static let columns = Columns()
    static let modelName = "Item"
    static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("number", Int.self), PropertyDefinition("name", String.self),
            PropertyDefinition("team", Int.self), PropertyDefinition("city", String.self),
            PropertyDefinition("joined", Date.self), PropertyDefinition("rank", Int.self),
            PropertyDefinition("balance", Double.self), PropertyDefinition("note", String.self),
        ], key: [0], indexes: [IndexDefinition(2), IndexDefinition(3), IndexDefinition(4)])

    var modelKey: ModelKey<Int> { ModelKey(item.number) }

    init(_ item: Item) { self.item = item }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        item = Item(
            number: try stored.read(at: 0), name: try stored.read(at: 1),
            team: try stored.read(at: 2), city: try stored.read(at: 3),
            joined: try stored.read(at: 4), rank: try stored.read(at: 5),
            balance: try stored.read(at: 6), note: try stored.read(at: 7))
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(item.number, at: 0)
        try draft.write(item.name, at: 1)
        try draft.write(item.team, at: 2)
        try draft.write(item.city, at: 3)
        try draft.write(item.joined, at: 4)
        try draft.write(item.rank, at: 5)
        try draft.write(item.balance, at: 6)
        try draft.write(item.note, at: 7)
    }
}
