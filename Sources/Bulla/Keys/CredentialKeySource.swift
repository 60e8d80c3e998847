/// A secret that the service manager gives a service: the file `$CREDENTIALS_DIRECTORY/NAME`.
///
/// systemd makes this file from `LoadCredential=` and `LoadCredentialEncrypted=`. It lies in memory
/// that is never swapped, is visible to this service alone, and is gone when the service ends. The
/// file must meet the conditions of a ``FileKeySource``, with two differences: it must not be a
/// pipe, and an access list may let this user read it, as systemd arranges for services that do not
/// run as the superuser.
///
/// - Source: systemd.exec(5), "Credentials".
public struct CredentialKeySource: KeySource {
    private static let variable = "CREDENTIALS_DIRECTORY"
    private static let timeout: Duration = .seconds(30)

    private let credential: String
    private let trimsNewline: Bool

    /// Makes a source that reads the credential with that name.
    ///
    /// - Parameters:
    ///   - name: the credential's name, one component of a path.
    ///   - trimsNewline: whether to remove one newline at the end. Pass `false` for random bytes.
    public init(_ name: String, trimsNewline: Bool = true) {
        credential = name
        self.trimsNewline = trimsNewline
    }

    /// The source's name in messages: `credential` and the credential's name.
    public var name: String { "credential \(credential)" }

    /// Reads the credential.
    ///
    /// - Throws: `keySourceMissing` if the service has no such credential, or none at all;
    ///   `keyFileLink`; `keyFileOwner`; `keyFileMode`; `keySourceDenied`; `invalidArgument` if the
    ///   name is not a single path component, `$CREDENTIALS_DIRECTORY` is not an absolute path, or
    ///   the credential is not a file; `keySourceEmpty`; `io`.
    public func load() throws(BullaError) -> Secret {
        guard !credential.isEmpty, credential != ".", credential != "..",
            !credential.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        else { throw .badName(name, "its name is not a single component of a path") }
        guard let folder = ProcessVariable.text(Self.variable), !folder.isEmpty else {
            throw .missing(name, "\(Self.variable) is not set: this process got no credentials")
        }
        guard folder.utf8.first == UInt8(ascii: "/") else {
            throw .badName(name, "\(Self.variable) is not an absolute path")
        }
        let file = try KeyFile.openOwned(
            "\(folder)/\(credential)", name: name, kinds: .filesWithAccessLists)
        return try SecretText.reading(
            descriptor: file.descriptor, name: name, timeout: Self.timeout
        ).secret(trimsNewline: trimsNewline)
    }
}
