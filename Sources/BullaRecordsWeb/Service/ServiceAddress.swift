package import BullaRecords

/// The address at which clients reach the service; it comes from the service's configuration, never
/// from a request.
package struct ServiceAddress: Hashable, Sendable {
    private static let scheme = "https:" + "//"

    private let base: String

    /// - Parameter url: `https://` and at least one more character, all of them printable ASCII
    ///   characters other than the space. For any other text, the result is `nil`.
    package init?(_ url: String) {
        guard url.hasPrefix(Self.scheme), url.utf8.count > Self.scheme.utf8.count,
            url.utf8.allSatisfy({ (33...126).contains($0) })
        else { return nil }
        base = url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// The address that contains a ticket.
    func address(of kind: TicketTarget.Kind, in place: Place, ticket: String) -> String {
        base + TicketTarget.path(of: kind, in: place, ticket: ticket)
    }

    /// The address at which users sign in to a place.
    package func signIn(to place: Place) -> String {
        "\(base)/sign-in/\(place.container)/\(place.environment.name)"
    }
}
