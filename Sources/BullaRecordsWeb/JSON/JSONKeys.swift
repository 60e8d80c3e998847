/// Finds repeated keys of an object by comparing their bytes.
enum JSONKeys {
    /// The maximum number of keys that are compared one by one with all earlier keys, rather than
    /// by means of a set.
    private static let fewLimit = 16

    /// The place in `tokens` of the first key that repeats an earlier key of the object; `nil` if
    /// none does.
    static func repeated(in object: Int, of tokens: [JSONToken], _ bytes: [UInt8]) -> Int? {
        let count = Int(tokens[object].extent)
        guard count > 1 else { return nil }
        guard count <= fewLimit else { return repeatedOfMany(object, tokens, bytes) }
        var key = object + 1
        for index in 0..<count {
            guard !tokens[key].isIntricate else { return repeatedOfMany(object, tokens, bytes) }
            var former = object + 1
            for _ in 0..<index {
                if isSame(tokens[former], tokens[key], bytes) { return key }
                former = Int(tokens[former + 1].next)
            }
            key = Int(tokens[key + 1].next)
        }
        return nil
    }

    private static func isSame(_ one: JSONToken, _ other: JSONToken, _ bytes: [UInt8]) -> Bool {
        let count = one.extent - one.start
        guard count == other.extent - other.start else { return false }
        for index in 0..<Int(count)
        where bytes[Int(one.start) + index] != bytes[Int(other.start) + index] { return false }
        return true
    }

    /// Finds a repeated key by means of a set; clients cannot predict the hashes, and so cannot
    /// slow the search down.
    private static func repeatedOfMany(
        _ object: Int, _ tokens: [JSONToken], _ bytes: [UInt8]
    ) -> Int? {
        let count = Int(tokens[object].extent)
        var seen = Set<ArraySlice<UInt8>>(minimumCapacity: count)
        var key = object + 1
        for _ in 0..<count {
            let token = tokens[key]
            let contents = bytes[Int(token.start)..<Int(token.extent)]
            let said = token.isIntricate ? JSONEscape.resolved(contents)[...] : contents
            guard seen.insert(said).inserted else { return key }
            key = Int(tokens[key + 1].next)
        }
        return nil
    }
}
