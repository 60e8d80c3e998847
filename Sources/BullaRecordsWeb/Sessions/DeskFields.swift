/// The fields of a form or a JSON object: texts by name.
struct DeskFields {
    private let fields: [String: String]

    /// - Throws: `badRequest`, whose reason contains none of the texts.
    init(_ request: WebRequest) throws(WebError) {
        let type = request.header("Content-Type") ?? ""
        fields =
            type.lowercased().hasPrefix("application/x-www-form-urlencoded")
            ? try Self.form(request.body) : try Self.object(request.body)
    }

    func required(_ name: String) throws(WebError) -> String {
        guard let text = fields[name], !text.isEmpty else {
            throw WebError(.badRequest, "sign in or out: \(name) is missing")
        }
        return text
    }

    private static func object(_ body: [UInt8]) throws(WebError) -> [String: String] {
        do throws(JSONFault) {
            let pairs = try JSONText.read(body).members.compactMap { key, value in
                value.string.map { (key.string ?? "", $0) }
            }
            return Dictionary(pairs) { first, _ in first }
        } catch { throw WebError(.badRequest, "sign in or out: the request is not JSON: \(error)") }
    }

    private static func form(_ body: [UInt8]) throws(WebError) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = text(parts[0]), let value = text(parts[1]),
                fields.updateValue(value, forKey: name) == nil
            else { throw WebError(.badRequest, "sign in or out: the form cannot be read") }
        }
        return fields
    }

    /// A form encodes a space as a plus sign.
    private static func text(_ part: Substring) -> String? {
        PercentCoding.decoded(Substring(part.replacing("+", with: " ")))
    }
}
