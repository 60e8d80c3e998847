/// The elements of an array, in order; none for any other value.
package struct JSONElements: Sequence, IteratorProtocol {
    private let text: JSONText
    private var place: Int
    private var left: Int

    init(_ value: JSONValue) {
        text = value.text
        place = value.place + 1
        left = value.kind == .array ? value.count : 0
    }

    package mutating func next() -> JSONValue? {
        guard left > 0 else { return nil }
        left -= 1
        let value = JSONValue(text, place)
        place = Int(text.tokens[place].next)
        return value
    }
}

/// The members of an object, in order; none for any other value.
package struct JSONMembers: Sequence, IteratorProtocol {
    private let text: JSONText
    private var place: Int
    private var left: Int

    init(_ value: JSONValue) {
        text = value.text
        place = value.place + 1
        left = value.kind == .object ? value.count : 0
    }

    /// The next member; its key is a string.
    package mutating func next() -> (key: JSONValue, value: JSONValue)? {
        guard left > 0 else { return nil }
        left -= 1
        let member = (key: JSONValue(text, place), value: JSONValue(text, place + 1))
        place = Int(text.tokens[place + 1].next)
        return member
    }
}

extension JSONValue {
    package var elements: JSONElements { JSONElements(self) }
    package var members: JSONMembers { JSONMembers(self) }
}
