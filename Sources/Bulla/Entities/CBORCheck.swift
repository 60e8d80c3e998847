internal import BullaMemory

/// Why bytes are not one valid item, and where.
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

    /// Names the place, and never the content.
    var description: String { "byte \(offset): \(reason.rawValue)" }
}

/// Checks bytes once from end to end, before anything is decoded from them.
///
/// Bytes that pass are one whole item, nested at most ``depthLimit`` deep. Every count in them
/// matches the items that are there, so later code can trust it. No map has a key twice.
struct CBORCheck {
    /// How deep arrays and maps can nest, so that no entity exhausts the stack.
    static let depthLimit = 64

    private let view: ByteView

    /// - Complexity: linear in the bytes; takes heap memory only for a map with more than a few
    ///   keys, in proportion to the keys that are there.
    static func check(_ view: ByteView) throws(CBORFault) {
        let end = try CBORCheck(view: view).readItem(at: 0, depth: 0)
        guard end == view.byteCount else { throw CBORFault(reason: .tooLong, offset: end) }
    }

    /// Checks one item that is nested `depth` deep, and returns where it ends.
    private func readItem(at offset: Int, depth: Int) throws(CBORFault) -> Int {
        guard let item = CBORItem(view, at: offset) else { throw headFault(at: offset) }
        switch item.kind {
        case .unsigned, .negative: return item.content
        case .bytes: return try readBytes(item, at: offset)
        case .text: return try readText(item, at: offset)
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

    private func readBytes(_ item: CBORItem, at offset: Int) throws(CBORFault) -> Int {
        guard item.argument <= UInt64(view.byteCount - item.content) else {
            throw CBORFault(reason: .cutOff, offset: offset)
        }
        return item.content + item.count
    }

    private func readText(_ item: CBORItem, at offset: Int) throws(CBORFault) -> Int {
        let end = try readBytes(item, at: offset)
        guard item.bytes(in: view).isText else { throw CBORFault(reason: .notText, offset: offset) }
        return end
    }

    private func headFault(at offset: Int) -> CBORFault {
        let info = view.load(UInt8.self, at: offset) & 31
        let isCutOff = offset >= view.byteCount || info <= CBORItem.eightBytes
        return CBORFault(reason: isCutOff ? .cutOff : .unknown, offset: offset)
    }

    /// Refuses an array or a map that is nested too deep, or that claims more items or pairs, each
    /// at least `byteCount` bytes long, than fit into the bytes that are left.
    private func checkCount(
        _ item: CBORItem, at offset: Int, depth: Int, byteCount: Int
    ) throws(CBORFault) {
        guard item.argument <= UInt64((view.byteCount - item.content) / byteCount) else {
            throw CBORFault(reason: .cutOff, offset: offset)
        }
        guard depth < Self.depthLimit else { throw CBORFault(reason: .tooDeep, offset: offset) }
    }

    private func readArray(
        _ item: CBORItem, at offset: Int, depth: Int
    ) throws(CBORFault) -> Int {
        try checkCount(item, at: offset, depth: depth, byteCount: 1)
        var end = item.content
        for _ in 0..<item.count { end = try readItem(at: end, depth: depth + 1) }
        return end
    }

    private func readMap(
        _ item: CBORItem, at offset: Int, depth: Int
    ) throws(CBORFault) -> Int {
        try checkCount(item, at: offset, depth: depth, byteCount: 2)
        var keys = CBORKeys(in: view)
        var end = item.content
        for _ in 0..<item.count {
            let start = end
            guard let head = CBORItem(view, at: start) else { throw headFault(at: start) }
            guard head.kind == .text else {
                throw CBORFault(reason: .keyNotText, offset: start)
            }
            end = try readText(head, at: start)
            guard keys.insert(head.bytes(in: view)) else {
                throw CBORFault(reason: .sameKeys, offset: start)
            }
            end = try readItem(at: end, depth: depth + 1)
        }
        return end
    }
}
