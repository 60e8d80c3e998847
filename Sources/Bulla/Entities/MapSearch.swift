internal import BullaMemory

/// Finds the pairs of a map by their keys.
///
/// It remembers its place, because models ask for keys in the order in which they encoded them, and
/// Codable asks up to three times for the key of an optional value.
struct MapSearch {
    /// Where the pair that was found last begins; `nil` if none was found yet.
    private var last: Int?
    /// The pair after the one that was found last: its number, and where it begins.
    private var next: (number: Int, offset: Int)

    init(_ map: CBORItem) { next = (0, map.content) }

    /// Finds the value of a key; `nil` if the map does not have it.
    ///
    /// - Parameters:
    ///   - map: the map that this search was made for.
    /// - Complexity: linear in the items of the value if the key is the one that was found last, or
    ///   the next one in the map; otherwise linear in the items of the map.
    mutating func find(
        _ name: ByteView, of map: CBORItem, in view: ByteView
    ) throws(DecodingRefusal) -> CBORItem? {
        var (number, offset) = next
        for index in 0..<map.count {
            if number == map.count { (number, offset) = (0, map.content) }
            let start = offset
            let pair = try Self.pair(at: start, in: view)
            (number, offset) = (number + 1, pair.end)
            if pair.key == name {
                last = start
                next = (number, offset)
                return pair.value
            }
            // The next pair has a different key, so the caller may be asking once more for the key
            // that was found last.
            guard index == 0, let last else { continue }
            let again = try Self.pair(at: last, in: view)
            if again.key == name { return again.value }
        }
        return nil
    }

    /// One pair, and where the next one begins.
    static func pair(
        at offset: Int, in view: ByteView
    ) throws(DecodingRefusal) -> (key: ByteView, value: CBORItem, end: Int) {
        guard let head = CBORItem(view, at: offset) else { throw .damaged }
        let key = head.bytes(in: view)
        guard let value = CBORItem(view, at: head.content + key.byteCount),
            let end = value.end(in: view)
        else { throw .damaged }
        return (key, value, end)
    }
}
