internal import ArgumentParser
internal import Bulla

/// Where the key comes from: a file or a descriptor, never an argument or the environment, where
/// every other process of the user could read it.
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

    func validate() throws {
        guard keyFile == nil || keyFd == nil else {
            throw ValidationError("--key-file and --key-fd exclude each other")
        }
    }

    /// Whether there is a key at all.
    var isGiven: Bool { keyFile != nil || keyFd != nil }

    /// Whether the key is read from standard input, so that nothing else can be.
    var takesStandardInput: Bool { keyFd == 0 }

    /// The key, or `nil` for a plain store.
    func key(within timeout: Duration) throws -> StoreKey? {
        try KeySource(file: keyFile, descriptor: keyFd).key(within: timeout)
    }
}
