package import Bulla
package import Logging

/// A request to read a key or a password from a place.
package struct KeyRequest: Sendable {
    package let place: KeyPlace
    /// Whether to read a password instead of a key of 64 bytes.
    package var isPassword = false
    /// The label of the slot on which to try the password; `nil` if no label was given.
    package var slot: String?
    /// How the password of a new slot is stretched.
    package var stretching = PasswordStretching.recommended
    /// The prompt's question, such as `Password`.
    package var question: String
    /// Whether a prompt asks twice.
    package var isNew = false

    package init(
        place: KeyPlace, isPassword: Bool = false, slot: String? = nil,
        question: String = "Password"
    ) {
        (self.place, self.isPassword) = (place, isPassword)
        (self.slot, self.question) = (slot, question)
    }

    /// Reads the key.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for a key that comes through a pipe.
    ///   - logger: gets warnings about the place, for example if it is the environment.
    /// - Throws: ``BullaError`` if the place's source throws it, or if the key is invalid.
    package func key(
        within timeout: Duration, logger: Logger
    ) throws(BullaError) -> StoreKey {
        guard isPassword else { return try plainKey(within: timeout, logger) }
        let secret = try source(within: timeout, logger).load()
        return try .password(secret, slotLabel: slot, stretching: stretching)
    }

    private func plainKey(
        within timeout: Duration, _ logger: Logger
    ) throws(BullaError) -> StoreKey {
        switch place {
        case .keyFile(let path): try StoreKey(contentsOfFile: path, timeout: timeout)
        case .descriptor(let number): try StoreKey(readingFrom: number, timeout: timeout)
        default: try StoreKey(from: try source(within: timeout, logger))
        }
    }

    /// The place's source; a final newline is not part of a password, but may be part of a key.
    private func source(
        within timeout: Duration, _ logger: Logger
    ) throws(BullaError) -> any KeySource {
        switch place {
        case .keyFile(let path), .file(let path): return file(path, within: timeout)
        case .descriptor(let number):
            return DescriptorKeySource(number, trimsNewline: isPassword, timeout: timeout)
        case .credential(let name): return CredentialKeySource(name, trimsNewline: isPassword)
        case .keyring(let name, let ring): return KeyringKeySource(name, in: ring)
        case .prompt: return PromptKeySource(question + ": ", confirming: isNew)
        case .environment(let name): return EnvironmentKeySource(name, logger: logger)
        }
    }

    /// The source of a file; a path in `/dev/fd`, as `<(...)` makes it, names an open descriptor.
    private func file(_ path: String, within timeout: Duration) -> any KeySource {
        let folder = "/dev/fd/"
        if path.hasPrefix(folder), let number = Int32(path.dropFirst(folder.count)) {
            return DescriptorKeySource(number, trimsNewline: isPassword, timeout: timeout)
        }
        return FileKeySource(path, trimsNewline: isPassword, timeout: timeout)
    }
}
