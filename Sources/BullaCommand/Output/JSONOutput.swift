internal import Bulla
internal import BullaText
internal import FoundationEssentials

/// Values as JSON for programs: on one line, with members sorted by name.
enum JSONOutput {
    static func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            // Encoding fails only for a number that is not finite, and no answer has one.
            return "{}\n"
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

/// Bytes as members of a JSON object: as text if they are UTF-8, otherwise as base64.
///
/// The member `<name>Encoding` says which: `utf-8` or `base64`.
enum JSONBytes {
    /// Appends the two members, without braces and without a comma after them.
    static func append(_ name: String, _ bytes: [UInt8], to text: inout [UInt8]) {
        let isText = UTF8Text.isValid(bytes)
        text.append(contentsOf: "\"\(name)\":".utf8)
        if isText {
            JSONText.append(bytes, to: &text)
        } else {
            text.append(UInt8(ascii: "\""))
            Base64.append(bytes, to: &text)
            text.append(UInt8(ascii: "\""))
        }
        text.append(contentsOf: ",\"\(name)Encoding\":\"\(isText ? "utf-8" : "base64")\"".utf8)
    }
}
