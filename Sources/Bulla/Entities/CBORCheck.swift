internal import BullaMemory

/// What is wrong with bytes that are to be one item, and where.
struct CBORFault: Error {
    enum Reason: String {
        case cutOff = "the bytes end inside an item"
        case unknown = "an item is of a kind that entities do not have"
        case notText = "a text is not UTF-8"
        case keyNotText = "a key is not a text"
        case sameKeys = "two keys of a map are the same"
        case tooDeep = "items are nested more than 64 deep"
        case tooLong = "bytes follow the entity"
    }

    let reason: Reason
    let offset: Int

    /// Says where, and nothing of what stands there.
    var description: String { "byte \(offset): \(reason.rawValue)" }
}

/// Reads bytes once from end to end before anything is decoded from them.
///
/// What has passed is one whole item, nested no deeper than ``depthLimit``; every count in it is of
/// items that are there, so a count may be believed; and no map has a key twice.
struct CBORCheck {
    /// How deep arrays and maps may lie in one another, so that no entity exhausts a stack.
    static let depthLimit = 64

    private let view: ByteView
    /// The keys of the maps that are being read, the innermost last.
    private var keys: [ByteView] = []

    private init(_ view: ByteView) { self.view = view }

    /// - Complexity: in the bytes; memory by the number of keys that are really there.
    static func check(_ view: ByteView) throws(CBORFault) {
        var check = CBORCheck(view)
        let end = try check.readItem(at: 0, depth: 0)
        guard end == view.byteCount else { throw CBORFault(reason: .tooLong, offset: end) }
    }

    /// Reads one item that lies in `depth` others, and says where it ends.
    private mutating func readItem(at offset: Int, depth: Int) throws(CBORFault) -> Int {
        guard let item = CBORItem(view, at: offset) else { throw headFault(at: offset) }
        switch item.kind {
        case .unsigned, .negative: return item.content
        case .bytes, .text:
            guard item.argument <= UInt64(view.byteCount - item.content) else {
                throw CBORFault(reason: .cutOff, offset: offset)
            }
            if item.kind == .text, !item.bytes(in: view).isText {
                throw CBORFault(reason: .notText, offset: offset)
            }
            return item.content + item.count
        case .array: return try readArray(item, at: offset, depth: depth)
        case .map: return try readMap(item, at: offset, depth: depth)
        case .simple:
            let known = CBORItem.isFalse...CBORItem.null ~= item.info
            guard known || CBORItem.half...CBORItem.double ~= item.info else {
                throw CBORFault(reason: .unknown, offset: offset)
            }
            return item.content
        case .tag: throw CBORFault(reason: .unknown, offset: offset)
        }
    }

    private func headFault(at offset: Int) -> CBORFault {
        let info = view.load(UInt8.self, at: offset) & 31
        let isCutOff = offset >= view.byteCount || info <= CBORItem.eightBytes
        return CBORFault(reason: isCutOff ? .cutOff : .unknown, offset: offset)
    }

    /// Every item takes a byte at least, so more than there are bytes is too many.
    private func checkCount(
        _ item: CBORItem, at offset: Int, depth: Int, byteCount: Int
    ) throws(CBORFault) {
        guard item.argument <= UInt64((view.byteCount - item.content) / byteCount) else {
            throw CBORFault(reason: .cutOff, offset: offset)
        }
        guard depth < Self.depthLimit else { throw CBORFault(reason: .tooDeep, offset: offset) }
    }

    private mutating func readArray(
        _ item: CBORItem, at offset: Int, depth: Int
    ) throws(CBORFault) -> Int {
        try checkCount(item, at: offset, depth: depth, byteCount: 1)
        var end = item.content
        for _ in 0..<item.count { end = try readItem(at: end, depth: depth + 1) }
        return end
    }

    private mutating func readMap(
        _ item: CBORItem, at offset: Int, depth: Int
    ) throws(CBORFault) -> Int {
        try checkCount(item, at: offset, depth: depth, byteCount: 2)
        let outerCount = keys.count
        if outerCount == 0 { keys.reserveCapacity(Self.fewKeys) }
        defer { keys.removeLast(keys.count - outerCount) }
        var many: Set<ByteView> = []
        var end = item.content
        for _ in 0..<item.count {
            let start = end
            guard let head = CBORItem(view, at: start) else { throw headFault(at: start) }
            guard head.kind == .text else {
                throw CBORFault(reason: .keyNotText, offset: start)
            }
            end = try readItem(at: start, depth: depth + 1)
            let key = head.bytes(in: view)
            guard isNew(key, since: outerCount, &many) else {
                throw CBORFault(reason: .sameKeys, offset: start)
            }
            end = try readItem(at: end, depth: depth + 1)
        }
        return end
    }

    /// Compares with each key of a small map; a large one has a set.
    private mutating func isNew(
        _ key: ByteView, since outerCount: Int, _ many: inout Set<ByteView>
    ) -> Bool {
        guard keys.count - outerCount >= Self.fewKeys else {
            for index in outerCount..<keys.count where keys[index] == key { return false }
            keys.append(key)
            return true
        }
        if many.isEmpty { many.formUnion(keys[outerCount...]) }
        return many.insert(key).inserted
    }

    private static let fewKeys = 16
}
