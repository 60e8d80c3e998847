/// The two environments of a container: in development the schema grows, in production it is fixed.
package enum Environment: UInt8, CaseIterable, Sendable {
    case development = 1
    case production = 2

    package var name: String { self == .development ? "development" : "production" }

    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

/// The kind of database that a caller means.
///
/// An owner and a participant reach one zone through different scopes, so a seal is never bound to
/// a scope, but always to a ``Database``.
package enum DatabaseScope: Int, CaseIterable, Sendable {
    case `public` = 1
    case `private` = 2
    case shared = 3

    package var name: String {
        switch self {
        case .public: "public"
        case .private: "private"
        case .shared: "shared"
        }
    }

    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

/// A container in one of its environments.
package struct Place: Hashable, Sendable {
    /// An identifier such as `iCloud.org.example.notes`.
    package let container: String
    package let environment: Environment

    package init(_ container: String, _ environment: Environment) {
        self.container = container
        self.environment = environment
    }
}

/// Where zones are: in the public database of a place, or in the database of one account.
package struct Database: Hashable, Sendable {
    package let place: Place
    /// `nil` for the public database.
    package let owner: AccountIdentifier?

    package init(_ place: Place, owner: AccountIdentifier?) {
        self.place = place
        self.owner = owner
    }

    package var isPublic: Bool { owner == nil }
}
