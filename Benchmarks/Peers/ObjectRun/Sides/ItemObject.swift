internal import BullaObjectPeer
internal import BullaObjects
internal import Foundation

/// An item as an object of Bulla: what `@Model` would write.
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
    static let definition = ModelDefinition(
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
            number: try stored.read(0), name: try stored.read(1), team: try stored.read(2),
            city: try stored.read(3), joined: try stored.read(4), rank: try stored.read(5),
            balance: try stored.read(6), note: try stored.read(7))
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(item.number, 0)
        try draft.write(item.name, 1)
        try draft.write(item.team, 2)
        try draft.write(item.city, 3)
        try draft.write(item.joined, 4)
        try draft.write(item.rank, 5)
        try draft.write(item.balance, 6)
        try draft.write(item.note, 7)
    }
}
