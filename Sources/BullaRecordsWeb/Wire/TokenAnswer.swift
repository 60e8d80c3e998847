package import BullaRecords

/// The answer of `tokens/create`.
package struct TokenAnswer: Hashable, Sendable {
    package let environment: Environment
    package let token: String
    package let pollURL: String

    package init(_ environment: Environment, token: String, pollURL: String) {
        self.environment = environment
        self.token = token
        self.pollURL = pollURL
    }

    package func bytes() -> [UInt8] {
        answer { writer in
            writer.member("apnsEnvironment", environment.name)
            writer.member("apnsToken", token)
            writer.member("webcourierURL", pollURL)
        }
    }
}

/// Keeps `pollURL` out of messages, because anyone with it can learn when the user's databases
/// change.
extension TokenAnswer: Untold {
    package var description: String { "a token for \(environment.name)" }
}
