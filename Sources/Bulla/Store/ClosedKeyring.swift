internal import BullaCipher

/// The keyring in a store's file, read with one key and without opening the store.
struct ClosedKeyring {
    private let opening: StoreOpening
    private let key: StoreKey?

    /// - Parameter key: the key to try; `nil` to read only what needs no key.
    init(at path: String, _ key: StoreKey? = nil) throws(BullaError) {
        let storage = SystemStorage()
        opening = StoreOpening(
            path: try storage.resolve(path), key: key, options: StoreOptions(), storage: storage)
        self.key = key
    }

    /// The slots that the file claims to have, read without a key.
    func claimedSlots() throws(BullaError) -> [KeyringSlot] { try opening.claimedTable().slots }

    /// The key of the slot that `key` opens: for a password the stretched key, for a key service
    /// the unwrapped one.
    func slotKey() throws(BullaError) -> UserKey {
        let parts = try openCurrent()
        defer { parts.file.close() }
        guard let key, let keyring = parts.keyring else {
            throw BullaError.plain("unlock \(opening.path)")
        }
        guard let slot = keyring.openedSlot() else {
            throw BullaError(.corrupted, "unlock \(opening.path): its keyring is damaged")
        }
        do throws(KeyringError) { return try key.key(for: slot) } catch {
            throw BullaError.keyring("unlock \(opening.path)", error)
        }
    }

    /// Whether `key` opens a slot.
    func isOpened() throws(BullaError) -> Bool {
        do throws(BullaError) {
            try openCurrent().file.close()
            return true
        } catch {
            guard [.wrongKey, .keySlotNotFound].contains(error.code) else { throw error }
            return false
        }
    }

    /// Reads the header and the keyring; throws if the key opens only a keyring that a newer commit
    /// has replaced.
    private func openCurrent() throws(BullaError) -> StoreParts {
        // Limit the attempts, because another program that keeps writing to the file could keep
        // this loop going for ever.
        var attemptsLeft = 8
        while true {
            let parts = try opening.openParts(.reading)
            do throws(BullaError) {
                try checkCurrent(parts)
                return parts
            } catch {
                defer { parts.file.close() }
                attemptsLeft -= 1
                // Try again if the keyring changed after it was read, because the new one may have
                // a slot for the same key.
                guard attemptsLeft > 0, let keyring = parts.keyring,
                    try !keyring.isUnchanged(in: parts.file)
                else { throw error }
            }
        }
    }

    /// Throws if a newer commit has replaced the keyring that the key opened.
    private func checkCurrent(_ parts: StoreParts) throws(BullaError) {
        guard let newest = try MetaSlots(parts).readAll().first else { return }
        try parts.keyring?.check(newest, path: parts.path)
    }
}
