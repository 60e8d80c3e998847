internal import BullaCipher
internal import BullaMemory
internal import Logging

/// Opens a store: checks what the file is and whether the key fits, finds which processes have it
/// open, and recovers what a crash left.
struct StoreOpening {
    let path: String
    let key: StoreKey?
    let options: StoreOptions
    let storage: any StorageSystem

    func open() throws(BullaError) -> StoreCore {
        try checkOptions()
        try findOrCreate()
        let deadline = ContinuousClock.now + options.lockTimeout
        while true {
            if let core = try takePart() { return core }
            guard ContinuousClock.now < deadline else {
                throw BullaError(
                    .busy,
                    "open \(path): \(try Occupancy(path, storage).reason()); "
                        + "waited \(options.lockTimeout)")
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
        if let limit = options.snapshotCommitLimit, limit < 0 {
            throw BullaError(
                .invalidArgument,
                "open \(path): the snapshot commit limit is \(limit), expected 0 or more, "
                    + "or nil for no limit")
        }
        if options.snapshotCommitLimit != nil && key == nil {
            throw BullaError(
                .invalidArgument,
                "open \(path): a snapshot commit limit was given, but a plain store has none")
        }
        guard let suite = options.suite else { return }
        guard key != nil else {
            throw BullaError(.invalidArgument, "open \(path): a cipher suite was given, but no key")
        }
        guard suite.ofPages != nil else {
            let known = CipherSuite.allCases.map(\.description).joined(separator: " or ")
            throw BullaError(
                .invalidArgument, "open \(path): cipher suite is \(suite), expected \(known)")
        }
    }

    /// Joins a store that exists; `nil` if the caller must try again (``StoreJoining/join()``).
    func takePart() throws(BullaError) -> StoreCore? {
        try StoreJoining(parts: openParts(), key: key, options: options).join()
    }

    /// Joins a store that nobody has open, that was closed cleanly, and in which no damage is
    /// found; `nil` for any other store.
    ///
    /// It writes nothing to the data file.
    func takePartIfClean() throws(BullaError) -> StoreCore? {
        try StoreJoining(parts: openParts(), key: key, options: options).joinIfClean()
    }

    /// Opens the file, and reads what identifies it.
    ///
    /// Even a reader opens the file for writing if it may, so that it can take exclusive locks; an
    /// immutable store is never opened for writing.
    private func openParts() throws(BullaError) -> StoreParts {
        switch options.access {
        case .immutable: return try openParts(.reading)
        case .readWrite: return try openParts(.writing)
        case .readOnly:
            do throws(BullaError) { return try openParts(.writing) } catch {
                guard error.isOfPermission else { throw error }
                return try openParts(.reading)
            }
        }
    }

    private func findOrCreate() throws(BullaError) {
        let isThere = try storage.identity(of: path) != nil
        if isThere, options.creation == .exclusive {
            throw BullaError(.invalidArgument, "create \(path): the file is there already")
        }
        if isThere { return }
        guard options.creation != .never, options.access == .readWrite else {
            throw BullaError.system("open \(path)", Self.noSuchFile)
        }
        try StoreCreation(path: path, key: key, options: options, storage: storage).create()
    }

    private static let noSuchFile: Int32 = 2

    /// Reads what identifies the file.
    ///
    /// It writes nothing, whatever it finds.
    func openParts(_ mode: OpenMode) throws(BullaError) -> StoreParts {
        let file = try storage.open(path, mode)
        try FileSystemCheck.check(file)
        let preamble = try readPreamble(file)
        // The buffer is as long as the preamble, but the file may be shorter.
        let byteCount = Int(clamping: try file.byteCount())
        let header = try readHeader(
            preamble.bytes.view.slice(0, min(byteCount, PageFormat.preambleByteCount)))
        guard try file.byteCount() >= PageFormat.preambleByteCount else {
            throw BullaError(
                .corrupted, "open \(path): the file was cut short inside its first 64 KiB")
        }
        if header.suite == .plain, key != nil {
            throw BullaError.plain("open \(path) under a key")
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
            path: path, storage: storage, file: file, isWritable: mode != .reading, header: header,
            ciphers: PageCiphers(header: header, secret: opened?.secret), keyring: opened?.finding,
            damagedHeader: HeaderPage.damagedCopy(of: header, in: preamble.bytes.view))
    }

    /// The newer of the keyrings that the file claims to have; checked for damage, but not
    /// authenticated.
    func claimedTable() throws(BullaError) -> KeyringTable {
        let file = try storage.open(path, .reading)
        defer { file.close() }
        let buffer = try readPreamble(file)
        let preamble = buffer.bytes.view
        let header = try readHeader(preamble)
        guard header.suite != .plain else {
            throw BullaError.plain("read the keyring of \(path)")
        }
        let tables = try KeyringCopies.offsets.map { offset throws(BullaError) in
            do throws(CipherError) {
                return try Keyring.table(of: preamble.slice(offset, Keyring.copyByteCount))
            } catch { throw BullaError.cipher("read the keyring of \(path)", error) }
        }
        let newest = tables.compactMap { $0 }.max { $0.generation < $1.generation }
        guard let newest else {
            throw BullaError(
                .corrupted, "read the keyring of \(path): both copies are damaged")
        }
        return newest
    }

    private func readPreamble(_ file: any StorageFile) throws(BullaError) -> ScratchBuffer {
        let buffer = try Buffer.make(PageFormat.preambleByteCount)
        let count = min(Int(clamping: try file.byteCount()), PageFormat.preambleByteCount)
        try file.read(buffer.bytes.slice(0, count), at: 0)
        return buffer
    }

    /// Reads the header; if the header is damaged, even in the bytes that identify a store, reads
    /// its copy instead.
    private func readHeader(_ preamble: ByteView) throws(BullaError) -> HeaderPage {
        do throws(BullaError) { return try HeaderPage.read(preamble, of: path) } catch {
            let copy = preamble.slice(PageFormat.copyDistance, PageFormat.keyringOffset)
            do throws(BullaError) { return try HeaderPage.read(copy, of: path) } catch let other {
                // If both are damaged, prefer the error of a copy that still shows that this is a
                // store.
                throw error.code == .notAStore ? other : error
            }
        }
    }

    private func openKeyring(
        _ preamble: ByteView, _ header: HeaderPage, _ key: StoreKey
    ) throws(BullaError) -> (secret: PageCiphers.Secrets, finding: KeyringFinding) {
        let copies = KeyringCopies.offsets.map { preamble.slice($0, Keyring.copyByteCount) }
        do throws(KeyringError) {
            let opened = try Keyring.open(
                copies: copies, userKey: key, fileIdentifier: header.fileIdentifier,
                headerDigest: header.digest)
            let finding = KeyringFinding(
                generation: opened.generation, slot: opened.slot, copyIndex: opened.copyIndex,
                copiesAgree: opened.copiesAgree, copies: copies.map { $0.copied() })
            return (PageCiphers.Secrets(opened.takeSecrets()), finding)
        } catch { throw BullaError.keyring("open \(path)", error) }
    }

    private func checkAgreement(_ header: HeaderPage) throws(BullaError) {
        if let count = options.pageByteCount, count != header.format.pageByteCount {
            throw BullaError(
                .optionMismatch,
                "open \(path): page byte count is \(header.format.pageByteCount), "
                    + "asked for \(count)"
            )
        }
        let stored = CipherSuite(header.suite)
        if let suite = options.suite, suite != stored {
            let name = stored?.description ?? "plain"
            throw BullaError(
                .optionMismatch, "open \(path): cipher suite is \(name), asked for \(suite)")
        }
    }
}
