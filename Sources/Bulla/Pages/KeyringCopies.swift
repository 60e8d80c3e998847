internal import BullaCipher
internal import BullaMemory

/// The two copies of the keyring in a file, read and written without a key.
struct KeyringCopies {
    let file: any StorageFile

    /// Where the copies lie.
    static let offsets = [0, PageFormat.copyDistance].map { PageFormat.keyringOffset + $0 }

    /// A copy's bytes and the generation that it claims, which is `nil` if the copy is damaged.
    func read(_ index: Int) throws(BullaError) -> (bytes: [UInt8], generation: UInt64?) {
        let buffer = try Buffer.make(Keyring.copyByteCount)
        let copy = buffer.bytes.slice(0, Keyring.copyByteCount)
        try file.read(copy, at: UInt64(Self.offsets[index]))
        do throws(CipherError) {
            return (copy.view.copied(), try Keyring.generation(of: copy.view))
        } catch { throw BullaError.cipher("read the keyring of \(file.path)", error) }
    }

    /// The content of a copy; `nil` unless it was written with the master secret.
    func table(
        _ index: Int, _ header: HeaderPage, _ secret: PageCiphers.Secrets
    ) throws(BullaError) -> KeyringTable? {
        try read(index).bytes.withTypedView { view throws(BullaError) in
            do throws(CipherError) {
                return try Keyring.table(
                    of: view, under: secret.master, headerDigest: header.digest)
            } catch { throw BullaError.cipher("read the keyring of \(file.path)", error) }
        }
    }

    /// The copy that has the given generation, and its content; `nil` if neither has it.
    func named(
        _ generation: UInt64, _ header: HeaderPage, _ secret: PageCiphers.Secrets
    ) throws(BullaError) -> (index: Int, table: KeyringTable)? {
        // If both copies have it, take copy 1, so that a change writes copy 0 first while copy 1
        // stays intact.
        for index in Self.offsets.indices.reversed() {
            let table = try table(index, header, secret)
            if let table, table.generation == generation { return (index, table) }
        }
        return nil
    }

    /// Writes a copy; it is durable only after a flush.
    func write(_ bytes: [UInt8], _ index: Int) throws(BullaError) {
        try bytes.withTypedView { bytes throws(BullaError) in
            try file.write(bytes, at: UInt64(Self.offsets[index]))
        }
    }
}

/// The state of the keyring, as a key that opened the store found it.
struct KeyringFinding: Sendable {
    /// The generation of the copy that the key opened.
    let generation: UInt64
    /// The number of the slot that the key opened.
    let slot: UInt32
    let copyIndex: Int
    /// Whether the key also opens the other copy, and both have the same generation.
    let copiesAgree: Bool
    /// Both copies, as they were read.
    let copies: [[UInt8]]

    /// The slot that the key opened, in the copy that it opened.
    func openedSlot() -> KeyringSlot? {
        let table = try? Keyring.table(ofBytes: copies[copyIndex])
        return table?.slots.first { $0.number == slot }
    }

    /// Whether the copies are unchanged since they were read.
    ///
    /// Another process could change them until this process locked the store.
    func isUnchanged(in file: any StorageFile) throws(BullaError) -> Bool {
        for (index, bytes) in copies.enumerated() {
            guard try KeyringCopies(file: file).read(index).bytes == bytes else { return false }
        }
        return true
    }

    /// Refuses a keyring that is older than the one that a commit record names, for instance
    /// because somebody has put back a copy from before the key was changed.
    func check(_ record: CommitRecord, path: String) throws(BullaError) {
        guard generation < record.keyringGeneration else { return }
        throw BullaError(
            .wrongKey,
            "open \(path): the store's key was changed; this is key \(generation), "
                + "and the store now has key \(record.keyringGeneration)")
    }
}
