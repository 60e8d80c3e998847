internal import ArgumentParser
internal import Bulla

/// A place that a key or a password is read from.
enum KeyPlace: ExpressibleByArgument, Equatable, Sendable {
    /// A file as `--key-file` has it: of a key also through a link, as those of `<(...)` are.
    case keyFile(String)
    /// A file that is its owner's alone, and no link.
    case file(String)
    case descriptor(Int32)
    case credential(String)
    case keyring(String, KeyringKeySource.Place)
    case prompt
    case environment(String)

    /// How the places are written, for the help.
    static let forms =
        "file:PATH, fd:NUMBER, credential:NAME, keyring:session:NAME (or user, persistent), "
        + "prompt, or env:VARIABLE"

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
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

    /// Refuses descriptors that several keys would be read from: the first would take all.
    static func checkApart(_ places: [KeyPlace?]) throws {
        let numbers = places.compactMap { place -> Int32? in
            guard case .descriptor(let number)? = place else { return nil }
            return number
        }
        guard Set(numbers).count == numbers.count else {
            throw ValidationError("a descriptor gives one key: read one of the two from elsewhere")
        }
    }
}

/// What is to be read from a place.
struct KeyRequest {
    let place: KeyPlace
    /// Whether it is a password, and no key of 64 bytes.
    var isPassword = false
    /// The label of the slot that a password is tried on.
    var slot: String?
    /// How a password of a new slot is stretched.
    var stretching = PasswordStretching.recommended
    /// What a prompt asks for, such as `Password`.
    var question = "Password"
    /// Whether a prompt asks twice.
    var isNew = false

    /// Reads it.
    ///
    /// - Parameter timeout: how long to wait where it comes through a pipe.
    /// - Throws: ``CommandExit/noPermission`` for a key that is none, or that others may read.
    func key(within timeout: Duration) throws -> StoreKey {
        if case .descriptor(let number) = place { Descriptor.keepFromChildren(number) }
        do {
            guard isPassword else { return try plainKey(within: timeout) }
            let secret = try source(within: timeout).load()
            return try .password(secret, slot: slot, stretching: stretching)
        } catch {
            throw CommandError(error, as: error.code == .invalidArgument ? .noPermission : nil)
        }
    }

    private func plainKey(within timeout: Duration) throws(BullaError) -> StoreKey {
        switch place {
        case .keyFile(let path): try StoreKey(contentsOfFile: path, timeout: timeout)
        case .descriptor(let number): try StoreKey(readingFrom: number, timeout: timeout)
        default: try StoreKey(from: try source(within: timeout))
        }
    }

    /// The source; a newline is no part of a password, and may be part of a key.
    private func source(within timeout: Duration) throws(BullaError) -> any KeySource {
        switch place {
        case .keyFile(let path), .file(let path): return file(path, within: timeout)
        case .descriptor(let number):
            return DescriptorKeySource(number, trimsNewline: isPassword, timeout: timeout)
        case .credential(let name): return CredentialKeySource(name, trimsNewline: isPassword)
        case .keyring(let name, let ring): return KeyringKeySource(name, in: ring)
        case .prompt: return PromptKeySource(question + ": ", confirming: isNew)
        case .environment(let name):
            return EnvironmentKeySource(name, logger: MessageLog.logger())
        }
    }

    /// A file; a name below `/dev/fd`, as of `<(...)`, is a link to what is open already.
    private func file(_ path: String, within timeout: Duration) -> any KeySource {
        let folder = "/dev/fd/"
        if path.hasPrefix(folder), let number = Int32(path.dropFirst(folder.count)) {
            return DescriptorKeySource(number, trimsNewline: isPassword, timeout: timeout)
        }
        return FileKeySource(path, trimsNewline: isPassword, timeout: timeout)
    }
}
