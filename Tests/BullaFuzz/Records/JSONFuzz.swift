internal import BullaRecordsWeb

/// Reads an input as JSON; the value is written and must be read back unchanged.
enum JSONFuzz {
    static func run(_ input: FuzzInput) {
        guard let value = try? JSONText.read(input.rest) else { return }
        var writer = JSONWriter()
        write(value, to: &writer)
        guard let again = try? JSONText.read(writer.bytes) else {
            preconditionFailure("what is written is read")
        }
        precondition(isSame(value, again), "what is written is read as it was")
    }

    private static func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value.kind {
        case .null: writer.null()
        case .true, .false: writer.bool(value.kind == .true)
        case .string: writer.string(value.string ?? "")
        case .number:
            if let number = value.int64 {
                writer.int64(number)
            } else if let number = value.double {
                writer.double(number)
            } else {
                preconditionFailure("a number is one that a double can hold")
            }
        case .array:
            writer.beginArray()
            for element in value.elements { write(element, to: &writer) }
            writer.endArray()
        case .object:
            writer.beginObject()
            for (key, member) in value.members {
                writer.key(key.string ?? "")
                write(member, to: &writer)
            }
            writer.endObject()
        }
    }

    private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
        guard one.kind == other.kind, one.count == other.count else { return false }
        switch one.kind {
        case .null, .true, .false: return true
        case .string: return one.stringBytes == other.stringBytes
        case .number:
            // An integer beyond 64 bits is written as a double.
            if let number = one.int64 { return number == other.int64 }
            return one.double?.bitPattern == other.double?.bitPattern
        case .array: return zip(one.elements, other.elements).allSatisfy { isSame($0, $1) }
        case .object:
            return zip(one.members, other.members).allSatisfy { one, other in
                isSame(one.key, other.key) && isSame(one.value, other.value)
            }
                && one.members.allSatisfy { key, value in
                    isFound(key, in: one) && !JSONPath(to: value).description.isEmpty
                }
        }
    }

    private static func isFound(_ key: JSONValue, in object: JSONValue) -> Bool {
        guard let name = key.string else { return false }
        return object[name].map { $0.offset > key.offset } ?? false
    }

    static var seeds: [[UInt8]] {
        let texts = [
            "{\"a\":\"x\",\"b\":[1,2.5e-3,null,true,false]}", "\"\\u00e9\\ud83d\\ude00\\n\\/\"",
            "[-0,-0.0,1E+22,9223372036854775807,-9223372036854775808,1e-400]", " {} ",
            "{\"a\":{\"a\":[[],{}]},\"\\u0061b\":\"\u{e9}\"}", "123456789012345678901234567890",
            "{" + (0..<20).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}",
        ]
        return texts.map { Array($0.utf8) }
    }
}
