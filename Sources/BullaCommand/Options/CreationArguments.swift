internal import ArgumentParser
internal import Bulla

/// The properties of a new store.
struct CreationArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Bytes of a page: 4096, 8192, 16384, 32768 or 65536.", valueName: "bytes"))
    var pageSize: Int?

    @Option(
        help: ArgumentHelp(
            "The cipher: \(CipherSuite.allCases.map(\.description).joined(separator: " or ")).",
            valueName: "name"))
    var suite: String?

    @Option(
        help: ArgumentHelp(
            "The greatest length of the log: 128KiB to 4GiB (default: 64MiB).",
            valueName: "bytes"))
    var logLimit: ByteCountArgument?

    func validate() throws {
        try logLimit?.validateAsLogLimit("--log-limit")
        if let pageSize, ![4096, 8192, 16384, 32768, 65536].contains(pageSize) {
            throw ValidationError(
                "--page-size is \(pageSize), expected 4096, 8192, 16384, 32768 or 65536")
        }
        if let suite, cipherSuite == nil {
            let known = CipherSuite.allCases.map(\.description).joined(separator: " or ")
            throw ValidationError("--suite is \(suite), expected \(known)")
        }
    }

    private var cipherSuite: CipherSuite? {
        CipherSuite.allCases.first { $0.description == suite }
    }

    /// - Throws: if a cipher is given without a key, because a store without a key is plain.
    func validate(hasKey: Bool) throws {
        guard suite == nil || hasKey else {
            throw ValidationError("--suite needs a key: without one there is no cipher")
        }
    }

    func apply(to options: inout StoreOptions) {
        options.pageByteCount = pageSize
        options.suite = cipherSuite
        if let logLimit { options.logByteLimit = logLimit.byteCount }
    }
}
