/// The two lives of a container: a schema grows in one, and is kept in the other.
package enum Environment: UInt8, CaseIterable, Sendable {
    case development = 1
    case production = 2

    package var name: String { self == .development ? "development" : "production" }

    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

/// Which database a caller means.
///
/// An owner and a participant reach one zone through different scopes, so nothing is ever sealed
/// for a scope: see ``Database``.
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
    /// As `iCloud.org.example.notes`.
    package let container: String
    package let environment: Environment

    package init(_ container: String, _ environment: Environment) {
        self.container = container
        self.environment = environment
    }
}

/// Where zones lie: the public database of a place, or what one account owns there.
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
