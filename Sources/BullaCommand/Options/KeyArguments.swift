internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces
internal import BullaText

/// The source of the key.
///
/// The key itself is never an argument, because other processes can read arguments. The key comes
/// from an environment variable only if the user names the variable.
struct KeyArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file of mode 0600 that holds the key: 64 bytes, or 128 hexadecimal digits. A pipe "
                + "such as <(...) will do, and is waited for no longer than --timeout.",
            valueName: "file"), completion: .file())
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "An open descriptor to read the key from, to its end, in the same forms.",
            valueName: "number"))
    var keyFd: Int32?

    @Option(help: ArgumentHelp("Where the key is: \(KeyPlace.forms).", valueName: "source"))
    var keySource: KeyPlace?

    @Flag(help: "Read a password from there instead of a key.") var password = false

    @Option(
        help: ArgumentHelp("Try the password on the slot with this label.", valueName: "label"))
    var slot: String?

    @Flag(help: "If no memory can be locked, keep keys in memory that may be swapped.")
    var allowUnlockedKeys = false

    private var family: KeyFamily {
        KeyFamily(
            prefix: "", file: keyFile, descriptor: keyFd, source: keySource,
            isPassword: password, slot: slot)
    }

    func validate() throws { try family.validate() }

    /// - Throws: if there is no key; call this for a command that needs one.
    func validateGiven() throws {
        guard isGiven else {
            throw ValidationError(
                "a key of the store is needed: --key-file, --key-fd or --key-source")
        }
    }

    /// The place from which the key is read; `nil` for a plain store.
    var place: KeyPlace? { family.place }

    /// Whether there is a key.
    var isGiven: Bool { place != nil }

    /// Whether the key is read from standard input, so that nothing else can be read from it.
    var takesStandardInput: Bool { place == .descriptor(0) }

    /// The key, or `nil` for a plain store.
    func key(within timeout: Duration) throws -> StoreKey? {
        KeyMemory.policy = allowUnlockedKeys ? .bestEffort : .required
        return try family.request?.key(within: timeout)
    }
}

/// The options for one key, such as `--key-file` and `--key-fd`, or `--new-key-file` and so on.
struct KeyFamily {
    /// The prefix in the names of these options, such as `new-`; empty for the store's key.
    let prefix: String
    let file: String?
    let descriptor: Int32?
    let source: KeyPlace?
    var isPassword = false
    var slot: String?

    /// The place that the options name.
    var place: KeyPlace? {
        file.map { .keyFile($0) } ?? descriptor.map { .descriptor($0) } ?? source
    }

    /// The request to read the key, if a place is given.
    var request: KeyRequest? {
        place.map { place in
            var request = KeyRequest(place: place, isPassword: isPassword, slot: slot)
            request.question = question
            return request
        }
    }

    private var question: String {
        let word = isPassword ? "password" : "key"
        switch prefix {
        case "": return isPassword ? "Password" : "Key"
        case "vault-": return (isPassword ? "Password" : "Key") + " of the vault"
        default: return "New \(word)"
        }
    }

    /// - Throws: if several places are given, or options that do not fit the kind of secret.
    func validate() throws {
        let names = "--\(prefix)key-file, --\(prefix)key-fd and --\(prefix)key-source"
        let places = [file != nil, descriptor != nil, source != nil]
        guard places.count(where: { $0 }) <= 1 else {
            throw ValidationError("\(names) exclude each other")
        }
        guard !isPassword || place != nil else {
            throw ValidationError(
                "--\(prefix)password needs a place to read from: give one of \(names)")
        }
        guard slot == nil || isPassword else {
            throw ValidationError("--\(prefix)slot is for a password: give --\(prefix)password too")
        }
    }

    /// Like `validate()`, but also throws if there is no place.
    func validateGiven() throws {
        try validate()
        guard place != nil else {
            throw ValidationError(
                "one of --\(prefix)key-file, --\(prefix)key-fd and --\(prefix)key-source is needed")
        }
    }
}
