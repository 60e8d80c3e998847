/// The fields of a form or a JSON object: each name with its text.
package struct DeskFields: Sendable {
    private let fields: [String: String]

    /// - Throws: `badRequest`, whose reason contains none of the fields' texts.
    package init(_ request: WebRequest) throws(WebError) {
        let type = request.header("Content-Type") ?? ""
        fields =
            type.lowercased().hasPrefix("application/x-www-form-urlencoded")
            ? try Self.form(request.body) : try Self.object(request.body)
    }

    package func required(_ name: String) throws(WebError) -> String {
        guard let text = fields[name], !text.isEmpty else {
            throw WebError(.badRequest, "read the request: \(name) is missing")
        }
        return text
    }

    private static func object(_ body: [UInt8]) throws(WebError) -> [String: String] {
        do throws(JSONFault) {
            let pairs = try JSONText.read(body).members.compactMap { key, value in
                value.string.map { (key.string ?? "", $0) }
            }
            return Dictionary(pairs) { first, _ in first }
        } catch { throw WebError(.badRequest, "read the request: it is not JSON: \(error)") }
    }

    private static func form(_ body: [UInt8]) throws(WebError) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = text(parts[0]), let value = text(parts[1]),
                fields.updateValue(value, forKey: name) == nil
            else { throw WebError(.badRequest, "read the request: its form cannot be read") }
        }
        return fields
    }

    /// Decodes a name or a text from a form; forms encode each space as a plus sign.
    private static func text(_ part: Substring) -> String? {
        PercentCoding.decoded(Substring(part.replacing("+", with: " ")))
    }
}

extension DeskFields: Untold {
    package var description: String { "the fields of a request" }
}
