package import BullaRecords

/// A request of `tokens/create`, for a token with which a client waits for changes.
package struct TokenRequest: Hashable, Sendable {
    package let environment: Environment
    package let clientIdentifier: String?

    package init(_ value: JSONValue) throws(RecordError) {
        let named = try value.required("apnsEnvironment")
        guard let environment = Environment(name: try named.asText()) else {
            throw named.refusal("development or production", found: "another name")
        }
        self.environment = environment
        clientIdentifier = try value.optionalText("clientId")
    }
}
