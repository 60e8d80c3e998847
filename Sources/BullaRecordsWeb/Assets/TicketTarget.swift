internal import BullaRecords
internal import BullaText

/// The path of an address that the service has issued.
///
/// Anyone with the address can do one thing for a limited time.
///
///     /<kind>/<container>/<environment>/<ticket>
struct TicketTarget: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case upload, download, courier
    }

    let place: Place
    let ticket: String

    /// - Parameter target: the target in the request's first line.
    /// - Throws: ``WebError`` if there is nothing at the path.
    init(_ target: String, _ kind: Kind) throws(WebError) {
        let path = target.prefix { $0 != "?" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == kind.rawValue,
            RequestTarget.isContainer(String(parts[2])),
            let environment = Environment(name: String(parts[3]))
        else { throw WebError(.notFound, "there is nothing at this path") }
        place = Place(String(parts[2]), environment)
        ticket = String(parts[4])
    }

    static func path(of kind: Kind, in place: Place, ticket: String) -> String {
        "/\(kind.rawValue)/\(place.container)/\(place.environment.name)/\(ticket)"
    }
}

extension TicketTarget {
    /// The path of the ticket in an address that a service has issued; `nil` if the address has no
    /// ticket.
    ///
    /// A client uses only this path, and not the host in the address: it sends its request to the
    /// service that it already uses.
    static func path(in address: String, of kind: Kind, _ place: Place) -> String? {
        let ticket = address.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed()
        let isTicket = ticket.allSatisfy { byte in
            byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || byte == .minus || byte == UInt8(ascii: "_")
        }
        guard isTicket, (1...8_192).contains(ticket.count) else { return nil }
        return path(of: kind, in: place, ticket: String(decoding: ticket, as: UTF8.self))
    }
}

extension TicketTarget: Untold {
    var description: String { "a ticket in \(place.container), \(place.environment.name)" }
}

/// The method that handles a request; the request's target determines it.
package enum WebRoute: Hashable, Sendable {
    /// ``WebService/answer(_:)``.
    case operation
    /// ``WebService/beginUpload(_:)``.
    case upload
    /// ``WebService/download(_:)``.
    case download
    /// ``WebCourier/ask(_:as:answer:)``.
    case courier

    /// - Parameter target: the target in the request's first line.
    package init(_ target: String) {
        let first = target.dropFirst().prefix { $0 != "/" }
        self =
            switch TicketTarget.Kind(rawValue: String(first)) {
            case .upload: .upload
            case .download: .download
            case .courier: .courier
            case nil: .operation
            }
    }
}
