internal import Bulla
internal import BullaMemory

/// Former values of what is sealed.
extension ObjectTransaction {
    /// Keeps values that others have taken the place of, and gives up those that are too many.
    mutating func keep(
        _ values: [ReplacedValue], of table: ObjectTable
    ) throws(ObjectError) {
        guard let tree = table.model.historyTree else { return }
        for value in values {
            let key = HistoryKey.bytes(value.spot, value.stored.sequence)
            try putEntry(value.stored.blob, key, tree)
            try delete(HistoryKey.prefix(value.spot), in: tree, keeping: value.limit)
        }
    }

    /// Gives up all former values of an object.
    mutating func forgetFormerValues(
        of key: ByteView, in table: ObjectTable
    ) throws(ObjectError) {
        guard let tree = table.model.historyTree else { return }
        try delete(HistoryKey.prefix(key.copied()), in: tree, keeping: 0)
    }

    private mutating func delete(
        _ prefix: [UInt8], in tree: Int, keeping limit: Int
    ) throws(ObjectError) {
        var (count, gone) = (0, [[UInt8]]())
        try scan(tree, .prefix(prefix), .ascending) { (key: ByteView, _: ByteView) in
            count += 1
            if count > limit { gone.append(key.copied()) }
            return .next
        }
        for key in gone { try deleteEntry(key, tree) }
    }
}
