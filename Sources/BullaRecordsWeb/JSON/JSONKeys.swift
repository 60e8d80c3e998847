/// The keys of an object, compared by their bytes.
enum JSONKeys {
    /// Up to how many keys are compared each with each.
    private static let fewLimit = 16

    /// The place on the tape of a key that stands in the object a second time.
    static func repeated(in object: Int, of tokens: [JSONToken], _ bytes: [UInt8]) -> Int? {
        let count = Int(tokens[object].extent)
        guard count > 1 else { return nil }
        var keys: [Int] = []
        keys.reserveCapacity(count)
        var place = object + 1
        var isEscaped = false
        for _ in 0..<count {
            keys.append(place)
            isEscaped = isEscaped || tokens[place].isIntricate
            place = Int(tokens[place + 1].next)
        }
        return count <= fewLimit && !isEscaped
            ? repeatedOfFew(keys, tokens, bytes) : repeatedOfMany(keys, tokens, bytes)
    }

    private static func repeatedOfFew(
        _ keys: [Int], _ tokens: [JSONToken], _ bytes: [UInt8]
    ) -> Int? {
        for index in 1..<keys.count {
            for former in 0..<index where isSame(tokens[keys[former]], tokens[keys[index]], bytes) {
                return keys[index]
            }
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

    /// By a set, whose hashes nobody outside can foresee.
    private static func repeatedOfMany(
        _ keys: [Int], _ tokens: [JSONToken], _ bytes: [UInt8]
    ) -> Int? {
        var seen = Set<ArraySlice<UInt8>>(minimumCapacity: keys.count)
        return keys.first { key in
            let token = tokens[key]
            let contents = bytes[Int(token.start)..<Int(token.extent)]
            return !seen.insert(token.isIntricate ? JSONEscape.resolved(contents)[...] : contents)
                .inserted
        }
    }
}
