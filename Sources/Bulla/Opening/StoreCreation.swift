internal import BullaCipher
internal import BullaMemory

/// Makes a new store under a temporary name, and gives it its own name once it is whole and
/// flushed.
struct StoreCreation {
    let path: String
    let key: StoreKey?
    let options: StoreOptions
    let storage: any StorageSystem

    func create() throws(BullaError) {
        // An unknown suite would become the default, but the check of the options has already
        // refused it.
        let suite: Suite = key == nil ? .plain : options.suite?.ofPages ?? .aes256GCM
        let format = PageFormat(
            pageByteCount: options.pageByteCount ?? StoreOptions.defaultPageByteCount)
        try FileNameLimit.check(path, for: .newStore)
        let header = try HeaderPage(
            suite: suite, format: format, fileIdentifier: try Random.fileIdentifier())
        let temporary = "\(path).new-\(try Random.word())"
        do throws(BullaError) {
            try build(header, under: temporary)
        } catch {
            try? storage.remove(temporary)
            // The caller knows only the store's name.
            throw error.naming(path, insteadOf: temporary)
        }
        try storage.remove(temporary)
        try storage.flushFolder(of: path)
    }

    /// Writes the file under a temporary name, and then gives it its own name.
    private func build(_ header: HeaderPage, under temporary: String) throws(BullaError) {
        let file = try storage.open(temporary, .creating)
        defer { file.close() }
        try FileSystemCheck.check(file)
        try write(header, to: file)
        try file.flush()
        // Another process may have been faster; in that case its store stays, and this one is
        // dropped.
        let isOurs = try storage.link(temporary, as: path)
        guard isOurs || options.creation != .exclusive else {
            throw BullaError(.invalidArgument, "create \(path): the file is there already")
        }
    }

    private func write(_ header: HeaderPage, to file: any StorageFile) throws(BullaError) {
        let preamble = try Buffer.make(PageFormat.preambleByteCount)
        var secret: PageCiphers.Secrets?
        if let key { secret = try writeKeyring(key, header, into: preamble.bytes) }
        let ciphers = PageCiphers(header: header, secret: secret)
        let hmac = try ciphers.metaAuthentication(epoch: 1)
        var record = try firstRecord(header.format)
        for slot in 0..<MetaPage.slotCount {
            let distance = slot * PageFormat.copyDistance
            header.write(preamble.bytes.slice(distance, HeaderField.byteCount))
            record.metaSlot = UInt64(slot)
            try MetaPage.write(
                record, slot: slot, header: header, hmac: hmac,
                into: preamble.bytes.slice(PageFormat.metaOffset + distance, MetaField.byteCount))
        }
        try file.write(preamble.bytes.view.slice(0, PageFormat.preambleByteCount), at: 0)
        let parts = StoreParts(
            path: file.path, storage: storage, file: file, header: header, ciphers: ciphers)
        try LogParts(parts, record).make(for: record)
    }

    /// The first commit of a store: no tree, and an empty log in the first pages.
    private func firstRecord(_ format: PageFormat) throws(BullaError) -> CommitRecord {
        var record = CommitRecord(history: try Random.identifier())
        record.commit = 1
        record.lastDurable = 1
        record.flush = 1
        record.pageCount = format.firstPage
        try StoreOptions.checkLogLimit(options.logByteLimit, "create \(path)")
        let limit =
            options.logHalfByteLimit.map { max($0 / UInt64(format.pageByteCount), 1) }
            ?? LogExtent.pageLimit(ofBytes: options.logByteLimit, format)
        let count = min(max(options.logHalfByteCount / UInt64(format.pageByteCount), 1), limit)
        let even = PageRun(start: format.firstPage, count: count)
        let odd = PageRun(start: even.end, count: count)
        record.log = LogExtent(even: even, odd: odd, pageLimit: limit)
        record.pageCount = odd.end
        return record
    }

    private func writeKeyring(
        _ key: StoreKey, _ header: HeaderPage, into preamble: MutableByteView
    ) throws(BullaError) -> PageCiphers.Secrets {
        let made = try key.makeSlot()
        do throws(CipherError) {
            let secret = PageCiphers.Secrets(
                MasterSecrets(try MasterSecret.random(for: header.fileIdentifier)))
            var table = KeyringTable()
            _ = try table.add(
                made.form, secret.master, under: made.key, headerDigest: header.digest)
            let copy = try table.bytes(under: secret.master, headerDigest: header.digest)
            for offset in KeyringCopies.offsets {
                copy.withView { preamble.copy($0, to: offset) }
            }
            return secret
        } catch { throw BullaError.cipher("create \(path)", error) }
    }
}
