internal import ArgumentParser
internal import Bulla
internal import BullaText

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

/// A place that a key is read from.
struct KeySource {
    let file: String?
    let descriptor: Int32?

    /// The key, or `nil` where there is no place.
    ///
    /// - Parameter timeout: how long to wait where it comes through a pipe.
    /// - Throws: ``CommandExit/noPermission`` for a key that is none, or that others may read.
    func key(within timeout: Duration) throws -> StoreKey? {
        do {
            if let file { return try StoreKey(contentsOfFile: file, timeout: timeout) }
            guard let descriptor else { return nil }
            Descriptor.keepFromChildren(descriptor)
            return try StoreKey(readingFrom: descriptor, timeout: timeout)
        } catch {
            throw CommandError(error, as: error.code == .invalidArgument ? .noPermission : nil)
        }
    }
}
