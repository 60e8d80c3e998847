import Bulla
import BullaMemory
import BullaTestSupport

/// Moves a cursor back and forth, and the model's position with it.
struct CursorWalk {
    let context: ModelContext
    let model: SortedModel
    var keys: KeyMaker

    mutating func run(_ cursor: consuming Cursor) throws {
        var cursor = cursor
        var position: SortedModel.Position?
        for step in 0..<1 + context.random.below(30) {
            let isThere: Bool
            (isThere, position) = try move(&cursor, from: position, isNew: step == 0)
            try context.check(isThere == (position != nil), "a cursor's move gave \(isThere)")
            try compare(cursor, position)
        }
    }

    private mutating func move(
        _ cursor: inout Cursor, from position: SortedModel.Position?,
        isNew: Bool
    ) throws -> (Bool, SortedModel.Position?) {
        switch context.random.below(12) {
        case 0: return (try cursor.moveToFirst(), first)
        case 1: return (try cursor.moveToLast(), last)
        case 2, 3:
            let key = keys.key(model, &context.random)
            let found = model.find(key).position
            return (try cursor.seek(to: key), found < model.end ? found : nil)
        case 4..<8: return (try cursor.moveToPrevious(), isNew ? last : before(position))
        default: return (try cursor.moveToNext(), isNew ? first : after(position))
        }
    }

    private var first: SortedModel.Position? { model.count > 0 ? model.start : nil }

    private var last: SortedModel.Position? {
        model.count > 0 ? model.position(before: model.end) : nil
    }

    private func after(_ position: SortedModel.Position?) -> SortedModel.Position? {
        guard let position else { return nil }
        let next = model.position(after: position)
        return next < model.end ? next : nil
    }

    private func before(_ position: SortedModel.Position?) -> SortedModel.Position? {
        guard let position, position > model.start else { return nil }
        return model.position(before: position)
    }

    private func compare(
        _ cursor: borrowing Cursor, _ position: SortedModel.Position?
    ) throws {
        guard let position else { return }
        let entry = model.entry(position)
        let isKey = try cursor.withKey { $0.equals(entry.key) }
        let isValue = try cursor.withValue { $0.equals(entry.value) }
        let isLength = try cursor.valueByteCount == entry.value.count
        try context.check(
            isKey && isValue && isLength,
            "a cursor does not stand on \(ModelContext.name(entry.key))")
    }
}
