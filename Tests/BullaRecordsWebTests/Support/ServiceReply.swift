import BullaRecordsWeb

/// A service's answer, parsed.
struct ServiceReply {
    let status: Int
    let headers: [String: String]
    let text: String
    let json: JSONValue
    let failure: WebAnswer.Failure?

    init(_ answer: WebAnswer) throws {
        (status, failure, text) = (answer.status, answer.failure, answer.body.text)
        headers = Dictionary(uniqueKeysWithValues: answer.headers.map { ($0.name, $0.value) })
        json = try JSONText.read(answer.body)
    }

    /// The code of the whole request's error.
    var code: String? { json["serverErrorCode"]?.string }
    var reason: String? { json["reason"]?.string }

    /// The records or zones in the answer.
    var items: [JSONValue] { (json["records"] ?? json["zones"]).map { Array($0.elements) } ?? [] }

    /// The code of each item's error.
    var codes: [String?] { items.map { $0["serverErrorCode"]?.string } }
    var reasons: [String] { items.map { $0["reason"]?.string ?? "" } }
    var names: [String] { items.map { $0["recordName"]?.string ?? "" } }

    /// The tag of the only record.
    var tag: String? { items.count == 1 ? items[0]["recordChangeTag"]?.string : nil }

    /// A field of the first record.
    func field(_ name: String) -> JSONValue? { items.first?["fields"]?[name] }
}
