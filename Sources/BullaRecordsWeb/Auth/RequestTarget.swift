package import BullaRecords

/// The address of a request.
///
///     /database/1/<container>/<environment>/<scope>/<operation>?ckAPIToken=...&ckWebAuthToken=...
///
/// No description of the address contains its tokens.
package struct RequestTarget: Sendable {
    package let place: Place
    package let scope: DatabaseScope
    package let operation: ServiceOperation
    package let apiToken: String?
    package let webAuthToken: String?

    private static let version = "1"

    /// - Parameter target: the target in the request's first line.
    /// - Throws: ``WebError`` if there is nothing at the path, or the query is malformed.
    package init(_ target: String) throws(WebError) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        var names: [String] = []
        for part in path.dropFirst() {
            guard let name = PercentCoding.decoded(part) else { throw Self.nothingThere }
            names.append(name)
        }
        // The path of `tokens/create` names no scope: the private one is meant.
        if names.count == 6, names[4] == "tokens" {
            names.insert(DatabaseScope.private.name, at: 4)
        }
        guard path[0].isEmpty, names.count == 7, names[0] == "database",
            names[1] == Self.version, Self.isContainer(names[2]),
            let environment = Environment(name: names[3]),
            let scope = DatabaseScope(name: names[4]),
            let operation = ServiceOperation(rawValue: names[5] + "/" + names[6])
        else { throw Self.nothingThere }
        place = Place(names[2], environment)
        self.scope = scope
        self.operation = operation
        let query = try QueryString(parts.count > 1 ? parts[1] : "")
        apiToken = query.apiToken
        webAuthToken = query.webAuthToken
    }

    private static let nothingThere = WebError(.notFound, "there is nothing at this path")

    /// The path of an operation.
    package static func path(
        of operation: ServiceOperation, in place: Place, _ scope: DatabaseScope
    ) -> String {
        "/database/\(version)/\(place.container)/\(place.environment.name)/\(scope.name)/"
            + operation.rawValue
    }

    /// Whether a name consists of 1 to 255 ASCII letters, digits, dots, hyphens and underscores.
    package static func isContainer(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || byte == .minus || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
            }
    }
}

/// The two tokens in a query; all other parameters are ignored.
private struct QueryString {
    private(set) var apiToken: String?
    private(set) var webAuthToken: String?

    init(_ query: Substring) throws(WebError) {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decoded(parts[0]) else { continue }
            switch name {
            case "ckAPIToken": try Self.set(&apiToken, name, parts)
            case "ckWebAuthToken": try Self.set(&webAuthToken, name, parts)
            default: continue
            }
        }
    }

    /// Decodes the value of a token, which no error message contains.
    private static func set(
        _ token: inout String?, _ name: String, _ parts: [Substring]
    ) throws(WebError) {
        guard parts.count > 1, !parts[1].isEmpty else { return }
        guard let value = PercentCoding.decoded(parts[1]) else {
            throw WebError(.badRequest, "\(name) has an incomplete escape")
        }
        guard token == nil else { throw WebError(.badRequest, "\(name) appears twice") }
        token = value
    }
}
