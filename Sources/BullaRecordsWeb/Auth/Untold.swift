import BullaRecords

/// A value that gives access to something, so printing it shows only its description.
///
/// By default, Swift would print all stored properties.
package protocol Untold: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Untold {
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestTarget: Untold {
    package var description: String {
        "\(operation.rawValue) in \(place.container), \(place.environment.name), \(scope.name)"
    }
}

extension RequestSignature: Untold {
    package var description: String { "a signature of \(date)" }
}

extension RequestCredentials: Untold {
    package var description: String {
        switch self {
        case .apiToken(_, let webAuthToken):
            webAuthToken == nil ? "an API token" : "an API token and a user's"
        case .signature(let signature): signature.description
        }
    }
}
