package import BullaRecords
internal import BullaText

/// The steps of reading a request; each error says where it occurred and what was expected there.
extension JSONValue {
    /// Reads the body of a request, which must be an object; an empty body counts as `{}`.
    package static func request(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(RecordError) -> JSONValue {
        let value: JSONValue
        do throws(JSONFault) {
            value = try JSONText.read(bytes.isEmpty ? [0x7B, 0x7D] : bytes, limits: limits)
        } catch {
            throw RecordError(.invalidArguments, "read the request: \(error)")
        }
        return try value.asObject()
    }

    func refusal(_ expected: String) -> RecordError { refusal(expected, found: kind.name) }

    func refusal(_ expected: String, found: String) -> RecordError {
        RecordError(
            .invalidArguments,
            "\(JSONPath(to: self)) (byte \(offset)): expected \(expected), found \(found)")
    }

    /// The value of a key; a `null` value counts as missing.
    func optional(_ key: String) -> JSONValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }

    func required(_ key: String) throws(RecordError) -> JSONValue {
        guard let value = optional(key) else {
            throw refusal("the key \(key)", found: "an object without it")
        }
        return value
    }

    func asObject() throws(RecordError) -> JSONValue {
        guard kind == .object else { throw refusal("an object") }
        return self
    }

    func asList() throws(RecordError) -> JSONElements {
        guard kind == .array else { throw refusal("an array") }
        return elements
    }

    /// A string: a name, a word, a token, or the value of a field.
    ///
    /// To compare or hash a string that is not ASCII, Swift sorts the combining characters that
    /// follow each other, in time that grows with the square of their number. So such a string may
    /// be at most 1 KiB long.
    ///
    /// - Parameter isBounded: `false` for the value of a field, which is neither compared nor
    ///   hashed, and for a name that the caller checks before it compares or hashes the name.
    func asText(isBounded: Bool = true) throws(RecordError) -> String {
        guard let string else { throw refusal("a string") }
        let count = string.utf8.count
        guard !isBounded || count <= 1024 || string.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw refusal("a name", found: "a string of \(count) bytes")
        }
        return string
    }

    func asBool() throws(RecordError) -> Bool {
        guard let bool else { throw refusal("true or false") }
        return bool
    }

    func asCount() throws(RecordError) -> Int {
        guard kind == .number else { throw refusal("a whole number") }
        guard let int64, int64 >= 0 else {
            throw refusal("a whole number, not negative", found: "another number")
        }
        return Int(int64)
    }

    func optionalText(_ key: String) throws(RecordError) -> String? {
        guard let value = optional(key) else { return nil }
        return try value.asText()
    }

    /// A token that the service gave to a client: bytes in base64.
    func optionalToken(_ key: String) throws(RecordError) -> [UInt8]? {
        guard let value = optional(key) else { return nil }
        guard let bytes = Base64.bytes(try value.asText().utf8) else {
            throw value.refusal("a token of this service", found: "another string")
        }
        return bytes
    }

    func requiredText(_ key: String) throws(RecordError) -> String {
        try required(key).asText()
    }

    func flag(_ key: String) throws(RecordError) -> Bool? {
        guard let value = optional(key) else { return nil }
        return try value.asBool()
    }

    /// A set of names of fields or types; `nil` if the key is missing.
    ///
    /// It leaves out names that are not ASCII, because no field or type has such a name.
    func names(_ key: String) throws(RecordError) -> Set<String>? {
        guard let value = optional(key) else { return nil }
        var names: Set<String> = []
        for name in try value.asList() {
            let name = try name.asText(isBounded: false)
            if name.utf8.allSatisfy({ $0 < 0x80 }) { names.insert(name) }
        }
        return names
    }

    /// Whether the request asks for the invitations of the shares in the answer.
    func asksForInvitations() throws(RecordError) -> Bool {
        try flag(WireInvitation.listKey) ?? false
    }

    /// The elements of a required list; throws if there are more than `limit`.
    func requiredList(_ key: String, limit: Int) throws(RecordError) -> JSONElements {
        let list = try required(key)
        let elements = try list.asList()
        guard list.count <= limit else {
            throw RecordError(
                .limitExceeded,
                "\(JSONPath(to: list)) (byte \(list.offset)): expected at most \(limit), "
                    + "found \(list.count)")
        }
        return elements
    }
}
