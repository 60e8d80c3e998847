package import BullaRecords

/// Where clients reach the service, as its configuration says: never as a request does.
package struct ServiceAddress: Hashable, Sendable {
    private static let scheme = "https:" + "//"

    private let base: String

    /// - Parameter url: begins with `https:`; `nil` comes of any other.
    package init?(_ url: String) {
        guard url.hasPrefix(Self.scheme), url.utf8.count > Self.scheme.utf8.count,
            url.utf8.allSatisfy({ (33...126).contains($0) })
        else { return nil }
        base = url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// Where something happens that a ticket allows.
    func address(of kind: TicketTarget.Kind, in place: Place, ticket: String) -> String {
        base + TicketTarget.path(of: kind, in: place, ticket: ticket)
    }

    /// Where a user signs in.
    package func signIn(to place: Place) -> String {
        "\(base)/sign-in/\(place.container)/\(place.environment.name)"
    }
}
