package import BullaRecords

/// The address of a service.
///
/// Only a service on this machine may be used without TLS: on the way to another machine, anybody
/// in between could read and change everything.
package struct RemoteAddress: Hashable, Sendable {
    /// What stands before each request's target.
    package let base: String

    private static let secure = "https:" + "//"
    private static let plain = "http:" + "//"

    /// - Throws: `invalidArguments` if the address is malformed, or names another machine without
    ///   `https`.
    package init(_ url: String) throws(RecordError) {
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard base.utf8.count <= 1_024, base.utf8.allSatisfy({ (33...126).contains($0) }),
            !base.contains(where: { "?#@\\".contains($0) })
        else { throw Self.refused("it is not the address of a service") }
        let scheme = base.hasPrefix(Self.secure) ? Self.secure : Self.plain
        guard base.hasPrefix(scheme), base.utf8.count > scheme.utf8.count else {
            throw Self.refused("it does not begin with https")
        }
        let rest = base.dropFirst(scheme.count)
        guard scheme == Self.secure || Self.isOnThisMachine(rest) else {
            throw Self.refused("without TLS, it has to name 127.0.0.1, [::1] or localhost")
        }
        self.base = base
    }

    private static func isOnThisMachine(_ rest: Substring) -> Bool {
        let authority = rest.prefix { $0 != "/" }
        return ["127.0.0.1", "[::1]", "localhost"].contains { host in
            guard authority.hasPrefix(host) else { return false }
            let port = authority.dropFirst(host.count)
            return port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil
        }
    }

    private static func refused(_ reason: String) -> RecordError {
        RecordError(.invalidArguments, "use a service: \(reason)")
    }
}
