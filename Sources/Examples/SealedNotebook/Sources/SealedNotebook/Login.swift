public import Bulla
public import BullaObjects

/// What a notebook keeps of an account.
///
/// The name is visible to whoever has opened the store; all else is one blob, and the password a
/// second one within it.
@Model(sealed: "logins")
public struct Login {
    /// What the login is called.
    @Key public var name: String
    /// Who logs in.
    public var user: String
    /// Where.
    public var site: String
    /// Today's password; nine former ones are kept besides.
    @Sealed(history: 9) public var password: Sealed<Secret>

    /// A login.
    public init(name: String, user: String, site: String = "", password: Secret) {
        (self.name, self.user, self.site) = (name, user, site)
        self.password = Sealed(password)
    }
}
