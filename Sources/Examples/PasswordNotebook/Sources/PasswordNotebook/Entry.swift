public import Bulla

/// What a notebook keeps of an account, besides its passwords.
public struct Login: Codable, Sendable, Equatable {
    /// Who logs in.
    public var user: String
    /// Where.
    public var site: String
    /// Whatever else is to be remembered.
    public var notes: String

    /// A login.
    public init(user: String, site: String = "", notes: String = "") {
        (self.user, self.site, self.notes) = (user, site, notes)
    }
}

/// A name in a notebook, and what stands under it.
public struct Entry: Sendable {
    /// What the login is called.
    public let name: String
    /// The login; or why it does not open: `vaultLocked`, or `sealDamaged` for this one alone.
    public let login: Result<Login, BullaError>
}

/// A password that a login has, or had.
public struct Password: Sendable, Equatable {
    /// The password itself, which nobody wipes: it is an ordinary string.
    public let text: String
    /// Since when: the time since 1970-01-01 UTC.
    public let date: Duration

    /// A password.
    public init(text: String, date: Duration) { (self.text, self.date) = (text, date) }
}
