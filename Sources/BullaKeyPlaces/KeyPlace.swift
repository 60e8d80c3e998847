package import Bulla

/// A place from which a key or a password is read.
package enum KeyPlace: Equatable, Sendable {
    /// A file given by `--key-file`; its path may be a link, as with `<(...)`, if the file holds a
    /// key rather than a password.
    case keyFile(String)
    /// A file that only its owner can access; not a link.
    case file(String)
    case descriptor(Int32)
    case credential(String)
    case keyring(String, KeyringKeySource.Place)
    case prompt
    case environment(String)

    /// The forms of a place, for the help text.
    package static let forms =
        "file:PATH, fd:NUMBER, credential:NAME, keyring:session:NAME (or user, persistent), "
        + "prompt, or env:VARIABLE"

    /// The place that the text names; `nil` if the text has none of the ``forms``.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count > 1 ? String(parts[1]) : nil
        switch (parts[0], rest) {
        case ("prompt", nil): self = .prompt
        case ("file", let path?) where !path.isEmpty: self = .file(path)
        case ("fd", let text?):
            guard let number = Int32(text), number >= 0 else { return nil }
            self = .descriptor(number)
        case ("credential", let name?) where !name.isEmpty: self = .credential(name)
        case ("keyring", let rest?):
            guard let key = Self.keyring(rest) else { return nil }
            self = key
        case ("env", let name?) where !name.isEmpty: self = .environment(name)
        default: return nil
        }
    }

    private static func keyring(_ text: String) -> KeyPlace? {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let places: [KeyringKeySource.Place] = [.session, .user, .persistent]
        guard parts.count == 2, let place = places.first(where: { $0.description == parts[0] })
        else { return nil }
        return .keyring(parts[1], place)
    }
}
