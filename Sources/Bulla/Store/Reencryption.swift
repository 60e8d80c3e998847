internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// Replaces the master secret, and seals every page anew.
///
///     step      what it does                                      left by a crash in or after it
///     name      a keyring of both secrets, each under the other   the old secret, or both
///     begin     a key epoch of the new secret                     both
///     portions  pages sealed anew, some in each transaction       both; what was done stays done
///     erase     zeros over old pages, random bytes over old log   both
///     forget    a keyring of the new secret alone                 both, or the new secret alone
///
/// While the keyring has both secrets, any process that opens the store can resume the
/// re-encryption.
struct Reencryption {
    let core: StoreCore

    /// How many pages one transaction seals anew.
    static let portionPageCount = 512
    /// How many pages one step of the erasure examines.
    static let erasedPageCount = 16384

    private var path: String { core.parts.path }

    private func secret() throws(BullaError) -> PageCiphers.Secrets {
        try KeyringChange(core: core).secret("re-encrypt")
    }

    /// Whether a copy of the keyring still has the former secret, because the step `forget` was cut
    /// short.
    func isKeptInAnyCopy() throws(BullaError) -> Bool {
        let copies = KeyringCopies(file: core.parts.file)
        for index in KeyringCopies.offsets.indices {
            let bytes = try copies.read(index).bytes
            // A damaged copy opens nothing.
            if let table = try? Keyring.table(ofBytes: bytes), table.hasFormer { return true }
        }
        return false
    }

    /// Runs `body`, and keeps every other thread and process from re-encrypting the store
    /// meanwhile.
    func alone<R>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        let file = core.parts.file
        // The lock belongs to the open file, and so cannot keep out other threads of this process;
        // the flag does.
        guard !core.isReencrypting.exchange(true, ordering: .acquiring) else {
            throw BullaError(.busy, "re-encrypt \(path): another thread is already doing so")
        }
        defer { core.isReencrypting.store(false, ordering: .releasing) }
        // Pass the gate only to take the lock, so that the store can be closed between portions.
        let isLocked = try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            return try file.lock(LockByte.reencrypting, .exclusive)
        }
        guard isLocked else {
            throw BullaError(.busy, "re-encrypt \(path): another process is already doing so")
        }
        defer {
            _ = try? core.entrance.use { () throws(BullaError) in
                try file.lock(LockByte.reencrypting, .none)
            }
        }
        return try body()
    }

    /// Names a new secret in the keyring, and begins to use it.
    ///
    /// - Parameters:
    ///   - keys: the keys that open the store afterwards; each must open a current slot.
    func begin(_ keys: [StoreKey], droppingOthers: Bool) throws(BullaError) {
        guard try !secret().all.hasFormer else {
            throw BullaError(
                .busy, "re-encrypt \(path): an earlier re-encryption is unfinished; resume it")
        }
        try KeyringChange(core: core).run("re-encrypt") { table, secret throws(BullaError) in
            let slots = try matched(keys, table, droppingOthers: droppingOthers)
            let epoch = try core.board.checkpoint().keyEpoch
            let first = LockByte.firstEpoch(after: epoch, secret.all.firstEpoch)
            do throws(CipherError) {
                let master = try MasterSecret.random(for: core.parts.header.fileIdentifier)
                let former = try secret.master.copied()
                let digest = core.parts.header.digest
                var renewed = table.renewed(firstEpoch: first)
                for slot in slots {
                    _ = try renewed.add(
                        slot.form, number: slot.number, master, under: slot.key,
                        headerDigest: digest)
                }
                try renewed.keep(former: former, under: master, headerDigest: digest)
                table = renewed
                secret = PageCiphers.Secrets(
                    MasterSecrets(master, former: former, firstEpoch: first))
            } catch { throw SlotRules.noRoom(path, error) }
        }
    }

    private struct MatchedSlot {
        let number: UInt32
        let form: KeyringSlot.Form
        let key: UserKey
    }

    /// The slots that the keys open, each with what is needed to seal the new secret for it.
    private func matched(
        _ keys: [StoreKey], _ table: KeyringTable, droppingOthers: Bool
    ) throws(BullaError) -> [MatchedSlot] {
        var slots: [MatchedSlot] = []
        for key in keys {
            let slot: KeyringSlot
            do throws(KeyringError) {
                slot = try table.slot(openedBy: key, core.parts.header)
            } catch { throw BullaError.keyring("re-encrypt \(path) with a key to be kept", error) }
            guard !slots.contains(where: { $0.number == slot.number }) else { continue }
            slots.append(try kept(slot, key))
        }
        guard !slots.isEmpty else {
            throw BullaError(
                .invalidArgument, "re-encrypt \(path): no key was given to open it afterwards")
        }
        let others = table.slots.filter { slot in !slots.contains { $0.number == slot.number } }
        guard droppingOthers || others.isEmpty else {
            let numbers = others.map { "\($0.number)" }.joined(separator: ", ")
            throw BullaError(
                .invalidArgument,
                "re-encrypt \(path): slots \(numbers) would be dropped, because the new secret can "
                    + "be sealed only under keys that were given; give those too, or allow "
                    + "dropping other slots")
        }
        return slots
    }

    /// What is needed to seal the new secret for a current slot that is kept.
    ///
    /// The slot keeps its number, key, kind, label, stretching, and the bytes that a key service
    /// wrapped.
    private func kept(_ slot: KeyringSlot, _ key: StoreKey) throws(BullaError) -> MatchedSlot {
        guard let kind = slot.kind else {
            throw BullaError(
                .unsupportedFormat, "re-encrypt \(path): slot \(slot.number) is of a newer version")
        }
        do throws(KeyringError) {
            let userKey = try key.key(for: slot)
            do throws(CipherError) {
                let form = try KeyringSlot.Form(
                    kind, label: slot.label, stretching: slot.stretching, salt: slot.salt,
                    wrapped: slot.wrapped)
                return MatchedSlot(number: slot.number, form: form, key: userKey)
            } catch { throw .cipher(error) }
        } catch { throw BullaError.keyring("re-encrypt \(path)", error) }
    }

    /// Begins the first key epoch of the new secret, unless that epoch has begun already.
    func beginEpoch() throws(BullaError) {
        let first = try secret().all.firstEpoch
        try core.entrance.use { () throws(BullaError) in
            let turn = try RecordTurn(core)
            try KeyringChange(core: core).demandNamed(turn.base, "re-encrypt")
            if try core.board.checkpoint().keyEpoch < first {
                try core.trees.beginEpoch(.at(first))
            }
            try KeyEpochCopies(core.parts).renew(for: core.board.checkpoint())
        }
    }
}

extension KeyringTable {
    /// The slot that a key opens.
    fileprivate func slot(
        openedBy key: StoreKey, _ header: HeaderPage
    ) throws(KeyringError) -> KeyringSlot {
        let chosen = key.choose(among: slots)
        guard !chosen.isEmpty else { throw .noSlot }
        // A slot on which the key cannot be tried may belong to another key, so try the other slots
        // first.
        var refusal: KeyringError?
        for slot in chosen {
            let opens: Bool
            let userKey: UserKey
            do throws(KeyringError) { userKey = try key.key(for: slot) } catch {
                refusal = refusal ?? error
                continue
            }
            do throws(CipherError) {
                opens = try slot.isOpened(
                    by: userKey, file: header.fileIdentifier, headerDigest: header.digest)
            } catch { throw .cipher(error) }
            if opens { return slot }
        }
        throw refusal ?? .wrongKey
    }
}
