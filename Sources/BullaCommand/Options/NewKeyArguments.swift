internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces

/// The source of a new key, and the properties of its slot.
struct NewKeyArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("A file that holds the new key.", valueName: "file"),
        completion: .file())
    var newKeyFile: String?

    @Option(
        help: ArgumentHelp("An open descriptor to read the new key from.", valueName: "number"))
    var newKeyFd: Int32?

    @Option(
        help: ArgumentHelp(
            "Where the new key is, in the forms of --key-source; a prompt asks twice.",
            valueName: "source"))
    var newKeySource: KeyPlace?

    @Flag(help: "The new key is a password.") var newPassword = false

    @Option(
        help: ArgumentHelp(
            "The slot's label: at most 63 bytes, which everybody can read.",
            valueName: "label"))
    var label: String?

    @OptionGroup var stretching: StretchingArguments

    private var family: KeyFamily {
        KeyFamily(
            prefix: "new-", file: newKeyFile, descriptor: newKeyFd, source: newKeySource,
            isPassword: newPassword)
    }

    func validate() throws {
        try family.validateGiven()
        try stretching.validate(hasPassword: newPassword, as: "--new-password")
    }

    /// The place from which the new key is read.
    var place: KeyPlace? { family.place }

    /// Reads the new key.
    func key(within timeout: Duration) throws -> StoreKey {
        guard var request = family.request else {
            throw ValidationError("there is no new key")
        }
        request.stretching = try stretching.chosen()
        request.isNew = true
        return try request.key(within: timeout)
    }
}

/// The source of a vault's key.
struct VaultKeyArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("A file that holds the vault's key.", valueName: "file"),
        completion: .file())
    var vaultKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "An open descriptor to read the vault's key from.", valueName: "number"))
    var vaultKeyFd: Int32?

    @Option(
        help: ArgumentHelp(
            "Where the vault's key is, in the forms of --key-source.", valueName: "source"))
    var vaultKeySource: KeyPlace?

    @Flag(help: "The vault's key is a password.") var vaultPassword = false

    @Option(
        help: ArgumentHelp(
            "Try the vault's password on the slot with this label.", valueName: "label"))
    var vaultSlot: String?

    private var family: KeyFamily {
        KeyFamily(
            prefix: "vault-", file: vaultKeyFile, descriptor: vaultKeyFd, source: vaultKeySource,
            isPassword: vaultPassword, slot: vaultSlot)
    }

    func validate() throws { try family.validateGiven() }

    /// The place from which the vault's key is read.
    var place: KeyPlace? { family.place }

    /// Reads the vault's key.
    ///
    /// - Parameter stretching: for a new vault, how its password is stretched.
    func key(
        within timeout: Duration, forNew stretching: PasswordStretching? = nil
    ) throws -> StoreKey {
        guard var request = family.request else {
            throw ValidationError("there is no key of the vault")
        }
        if let stretching { (request.stretching, request.isNew) = (stretching, true) }
        return try request.key(within: timeout)
    }
}

/// How the password of a new slot is stretched.
struct StretchingArguments: ParsableArguments {
    enum Way: String, ExpressibleByArgument, CaseIterable {
        case scrypt, pbkdf2
    }

    /// The number of iterations if none is given: the lowest that a slot accepts.
    ///
    /// - Source: OWASP Password Storage Cheat Sheet, PBKDF2-HMAC-SHA-256.
    private static let iterationCount = 600_000

    @Option(help: ArgumentHelp("How a password is stretched.", valueName: "way"))
    var kdf: Way?

    @Option(
        help: ArgumentHelp("scrypt with N = 2^n and N KiB of memory: 17 to 20.", valueName: "n"))
    var logN: Int?

    @Option(
        help: ArgumentHelp(
            "Rounds of PBKDF2: \(Self.iterationCount) and more.", valueName: "count"))
    var iterations: Int?

    @Option(
        help: ArgumentHelp(
            "Choose the strongest scrypt that takes no longer than this on this machine.",
            valueName: "milliseconds"))
    var calibrate: Int?

    func validate() throws {
        guard logN == nil || kdf != .pbkdf2 else {
            throw ValidationError("--log-n is for --kdf scrypt")
        }
        guard iterations == nil || kdf == .pbkdf2 else {
            throw ValidationError("--iterations is for --kdf pbkdf2")
        }
        guard let calibrate else { return }
        guard logN == nil, kdf != .pbkdf2 else {
            throw ValidationError("--calibrate excludes --log-n, and is for --kdf scrypt")
        }
        guard (1...60_000).contains(calibrate) else {
            throw ValidationError("--calibrate is \(calibrate), expected 1 to 60000 milliseconds")
        }
    }

    /// - Parameter option: the option that gives a password, for the message.
    /// - Throws: if stretching is given without a password to stretch.
    func validate(hasPassword: Bool, as option: String) throws {
        let isSaid = kdf != nil || logN != nil || calibrate != nil || iterations != nil
        guard hasPassword || !isSaid else {
            throw ValidationError("only a password is stretched: give \(option) too")
        }
    }

    /// The chosen stretching.
    ///
    /// - Throws: ``CommandExit/usage`` if it is too weak or too expensive.
    func chosen() throws -> PasswordStretching {
        do {
            if let calibrate { return try .calibrated(for: .milliseconds(calibrate)) }
            guard kdf != .pbkdf2 else {
                return try .pbkdf2(iterations: iterations ?? Self.iterationCount)
            }
            guard let logN else { return .recommended }
            return try .scrypt(logN: logN)
        } catch { throw CommandError(error, as: error.code == .passwordParameters ? .usage : nil) }
    }
}
