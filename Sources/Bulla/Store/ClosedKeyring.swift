internal import BullaCipher

/// The keyring of a store that need not be open here, as one key finds it.
struct ClosedKeyring {
    private let opening: StoreOpening
    private let key: StoreKey?

    /// - Parameter key: `nil` for what is told without one.
    init(at path: String, _ key: StoreKey? = nil) throws(BullaError) {
        let storage = SystemStorage()
        opening = StoreOpening(
            path: try storage.resolve(path), key: key, options: StoreOptions(), storage: storage)
        self.key = key
    }

    /// The slots that the file claims to have, without a key.
    func claimedSlots() throws(BullaError) -> [KeyringSlot] { try opening.claimedTable().slots }

    /// The key of the slot that the key opens.
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

    /// Whether the key opens a slot.
    func isOpened() throws(BullaError) -> Bool {
        do throws(BullaError) {
            try openCurrent().file.close()
            return true
        } catch {
            guard [.wrongKey, .keySlotNotFound].contains(error.code) else { throw error }
            return false
        }
    }

    /// Reads what tells whose file it is, and refuses a key of a keyring that a newer commit has
    /// replaced.
    private func openCurrent() throws(BullaError) -> StoreParts {
        // A writer of the file could go on for ever.
        var attemptsLeft = 8
        while true {
            let parts = try opening.openParts(.reading)
            do throws(BullaError) {
                try checkCurrent(parts)
                return parts
            } catch {
                defer { parts.file.close() }
                attemptsLeft -= 1
                // Changed since it was read: the keyring of now may have the same way in.
                guard attemptsLeft > 0, let keyring = parts.keyring,
                    try !keyring.isUnchanged(in: parts.file)
                else { throw error }
            }
        }
    }

    /// Refuses a key of a keyring that a newer commit has replaced.
    private func checkCurrent(_ parts: StoreParts) throws(BullaError) {
        guard let newest = try MetaSlots(parts).readAll().first else { return }
        try parts.keyring?.check(newest, path: parts.path)
    }
}
