public import Bulla

/// The data of an account, without its passwords.
public struct Login: Codable, Sendable, Equatable {
    /// The user's name.
    public var user: String
    /// The site to log in to.
    public var site: String
    /// Any other notes.
    public var notes: String

    /// Creates a login.
    public init(user: String, site: String = "", notes: String = "") {
        (self.user, self.site, self.notes) = (user, site, notes)
    }
}

/// A name in a notebook, and the login stored under it.
public struct Entry: Sendable {
    /// The name of the login.
    public let name: String
    /// The login, or why it cannot be opened: `vaultLocked` for all entries, or `sealDamaged` for
    /// this one alone.
    public let login: Result<Login, BullaError>
}

/// The current password of a login, or an earlier one.
public struct Password: Sendable, Equatable {
    /// The password itself: an ordinary string, which is not wiped.
    public let text: String
    /// When it was set, as the time since 1970-01-01 UTC.
    public let date: Duration

    /// Creates a password.
    public init(text: String, date: Duration) { (self.text, self.date) = (text, date) }
}
