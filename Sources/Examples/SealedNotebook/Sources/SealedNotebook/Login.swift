public import Bulla
public import BullaObjects

/// The login of an account.
///
/// The name is visible while the store is open. Everything else is in one sealed blob, in which the
/// password is sealed a second time.
@Model(sealedIn: "logins")
public struct Login {
    /// The name of the login.
    @Key public var name: String
    /// The user's name.
    public var user: String
    /// The site to log in to.
    public var site: String
    /// The current password; up to nine former ones are kept as well.
    @Sealed(history: 9) public var password: Sealed<Secret>

    /// Creates a login.
    public init(name: String, user: String, site: String = "", password: Secret) {
        (self.name, self.user, self.site) = (name, user, site)
        self.password = Sealed(password)
    }
}
