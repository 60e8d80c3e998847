public import Bulla
public import BullaObjects

/// The login of an account.
///
/// The name is visible while the store is open. All else is in one sealed blob, and the password in
/// that blob is sealed once more.
@Model(sealedIn: "logins")
public struct Login {
    /// The name of the login.
    @Key public var name: String
    /// The user's name.
    public var user: String
    /// The site to log in to.
    public var site: String
    /// The present password; nine former ones are kept as well.
    @Sealed(history: 9) public var password: Sealed<Secret>

    /// Creates a login.
    public init(name: String, user: String, site: String = "", password: Secret) {
        (self.name, self.user, self.site) = (name, user, site)
        self.password = Sealed(password)
    }
}
