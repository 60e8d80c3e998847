internal import BullaCipher
internal import BullaMemory
internal import Logging

/// Opening: whose file it is, whether the key fits, who is there already, and what a crash left.
struct StoreOpening {
    let path: String
    let key: StoreKey?
    let options: StoreOptions
    let storage: any StorageSystem

    /// How long opening waits for somebody who is just opening or closing.
    private static let patience: Duration = .seconds(10)

    func open() throws(BullaError) -> StoreCore {
        try checkOptions()
        let deadline = ContinuousClock.now + Self.patience
        try findOrCreate()
        while true {
            if let core = try takePart() { return core }
            guard ContinuousClock.now < deadline else {
                throw BullaError(
                    .busy,
                    "open \(path): it is in use, but not with the coordination file beside it "
                        + "(another name of the file in another folder, or a deleted one), "
                        + "or somebody checks or salvages it")
            }
            Pause.brief()
        }
    }

    private func checkOptions() throws(BullaError) {
        if let count = options.pageByteCount, !StoreOptions.pageByteCounts.contains(count) {
            throw BullaError(
                .invalidArgument,
                "open \(path): page byte count is \(count), "
                    + "expected 4096, 8192, 16384, 32768 or 65536"
            )
        }
        if options.snapshotCommitLimit != nil && key == nil {
            throw BullaError(
                .invalidArgument,
                "open \(path): snapshots of a plain store cannot be ended, and a limit was given")
        }
        if options.suite != nil && key == nil {
            throw BullaError(.invalidArgument, "open \(path): a cipher suite was given, but no key")
        }
    }

    /// Takes part in a store that is there; `nil` when somebody is just opening or closing it.
    func takePart() throws(BullaError) -> StoreCore? {
        try StoreJoining(parts: openParts(.writing), key: key, options: options).join()
    }

    private func findOrCreate() throws(BullaError) {
        let isThere = try storage.identity(of: path) != nil
        if isThere, options.creation == .always {
            throw BullaError(.invalidArgument, "create \(path): the file is there already")
        }
        if isThere { return }
        guard options.creation != .never else {
            throw BullaError.system("open \(path)", Self.noSuchFile)
        }
        try StoreCreation(path: path, key: key, options: options, storage: storage).create()
    }

    private static let noSuchFile: Int32 = 2

    /// Reads what tells whose file this is.
    ///
    /// Nothing is written, whatever comes of it.
    func openParts(_ mode: OpenMode) throws(BullaError) -> StoreParts {
        let file = try storage.open(path, mode)
        try FileSystemCheck.check(file)
        let preamble = try readPreamble(file)
        // A buffer is as long as the preamble; what the file does not have is not there.
        let byteCount = Int(clamping: try file.byteCount())
        let header = try readHeader(
            preamble.bytes.view.slice(0, min(byteCount, PageFormat.preambleByteCount)))
        guard try file.byteCount() >= PageFormat.preambleByteCount else {
            throw BullaError(
                .corrupted, "open \(path): the file was cut short inside its first 64 KiB")
        }
        if header.suite == .plain, key != nil {
            throw BullaError(.notEncrypted, "open \(path): a key was given, but the store is plain")
        }
        if header.suite != .plain, key == nil {
            throw BullaError(
                .encrypted, "open \(path): the store is encrypted, but no key was given")
        }
        let opened = try key.map { key throws(BullaError) in
            try openKeyring(preamble.bytes.view, header, key)
        }
        try checkAgreement(header)
        return StoreParts(
            path: path, storage: storage, file: file, header: header,
            ciphers: PageCiphers(header: header, secret: opened?.secret), keyring: opened?.finding)
    }

    private func readPreamble(_ file: any StorageFile) throws(BullaError) -> ScratchBuffer {
        let buffer = try Buffer.make(PageFormat.preambleByteCount)
        let count = min(Int(clamping: try file.byteCount()), PageFormat.preambleByteCount)
        try file.read(buffer.bytes.slice(0, count), at: 0)
        return buffer
    }

    /// The header, or its copy where the first one is damaged.
    private func readHeader(_ preamble: ByteView) throws(BullaError) -> HeaderPage {
        do throws(BullaError) { return try HeaderPage.read(preamble, of: path) } catch {
            let copy = preamble.slice(PageFormat.copyDistance, PageFormat.keyringOffset)
            guard error.code != .notAStore, let header = try? HeaderPage.read(copy, of: path) else {
                throw error
            }
            return header
        }
    }

    private func openKeyring(
        _ preamble: ByteView, _ header: HeaderPage, _ key: StoreKey
    ) throws(BullaError) -> (secret: PageCiphers.Secret, finding: KeyringFinding) {
        let copies = KeyringCopies.offsets.map { preamble.slice($0, Keyring.copyByteCount) }
        do throws(KeyringError) {
            let opened = try Keyring.open(
                copies: copies, userKey: key.userKey, fileIdentifier: header.fileIdentifier,
                headerDigest: header.digest)
            let finding = KeyringFinding(
                generation: opened.generation, copyIndex: opened.copyIndex,
                copiesAgree: opened.copiesAgree, copies: copies.map { $0.copied() })
            return (PageCiphers.Secret(opened.takeMaster()), finding)
        } catch {
            switch error {
            case .wrongKey:
                throw BullaError(
                    .wrongKey, "open \(path): the store is encrypted under another key")
            case .damaged:
                throw BullaError(.corrupted, "open \(path): both copies of the keyring are damaged")
            case .unsupportedVersion(let version):
                throw BullaError(
                    .unsupportedFormat,
                    "open \(path): keyring version is \(version), which this library does not read")
            case .cipher(let error): throw BullaError.cipher("open \(path)", error)
            }
        }
    }

    private func checkAgreement(_ header: HeaderPage) throws(BullaError) {
        if let count = options.pageByteCount, count != header.format.pageByteCount {
            throw BullaError(
                .optionMismatch,
                "open \(path): page byte count is \(header.format.pageByteCount), "
                    + "asked for \(count)"
            )
        }
        if let suite = options.suite, suite.rawValue != header.suite.rawValue {
            throw BullaError(
                .optionMismatch,
                "open \(path): cipher suite is \(header.suiteName), asked for \(suite)")
        }
    }
}

extension HeaderPage {
    /// The suite's name for people.
    var suiteName: String { CipherSuite(rawValue: suite.rawValue)?.description ?? "plain" }
}
