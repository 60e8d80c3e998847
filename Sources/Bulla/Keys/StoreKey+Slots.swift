internal import BullaCipher
internal import BullaMemory
internal import Synchronization

extension StoreKey {
    /// Makes a slot that this key opens, to be added to a keyring.
    ///
    /// - Complexity: stretches a password once.
    func makeSlot(
        label: String? = nil
    ) throws(BullaError) -> (form: KeyringSlot.Form, key: UserKey) {
        let text = Array((label ?? ownLabel ?? "").utf8)
        guard text.count <= KeyringSlot.labelByteLimit else {
            throw BullaError(
                .invalidArgument,
                "label a key slot: the label has \(text.count) bytes, expected at most "
                    + "\(KeyringSlot.labelByteLimit)")
        }
        do throws(CipherError) {
            switch means {
            case .key(let key): return (try KeyringSlot.Form(.key, label: text), key)
            case .service(let key, let wrapped):
                return (try KeyringSlot.Form(.service, label: text, wrapped: wrapped), key)
            case .password(let password, _, let stretching):
                return try makeSlot(password, text, stretching.parameters)
            }
        } catch { throw BullaError.stretching("make a key slot", error) }
    }

    private var ownLabel: String? {
        guard case .password(_, let label, _) = means else { return nil }
        return label
    }

    private func makeSlot(
        _ password: Secret, _ label: [UInt8], _ parameters: BullaCipher.PasswordStretching
    ) throws(CipherError) -> (form: KeyringSlot.Form, key: UserKey) {
        let stretching = try [UInt8](
            byteCount: KeyringSlot.stretchingByteCount
        ) { view throws(CipherError) in
            try BullaCipher.PasswordStretching.store(parameters, in: view)
        }
        let form = try KeyringSlot.Form(.password, label: label, stretching: stretching)
        return (form, try stretch(password, form.salt, stretching))
    }

    /// Stretches a password into the key of a slot.
    ///
    /// It keeps the result in ``stretched``, because the same slots are in both copies of a
    /// keyring.
    private func stretch(
        _ password: Secret, _ salt: [UInt8], _ stretching: [UInt8]
    ) throws(CipherError) -> UserKey {
        if let known = stretched.withLock({ $0[salt + stretching] }) { return known }
        let parameters = try stretching.withView { view throws(CipherError) in
            try BullaCipher.PasswordStretching.load(from: view)
        }
        guard let parameters else { throw CipherError(.malformed) }
        let key = try password.withView { password throws(CipherError) in
            try parameters.userKey(password: password, salt: salt)
        }
        stretched.withLock { stretched in
            if stretched.count >= KeyringTable.slotLimit { stretched.removeAll() }
            stretched[salt + stretching] = key
        }
        return key
    }
}

extension StoreKey: SlotOpener {
    /// The maximum number of slots on which a password without a label is tried; each try is slow.
    static let passwordSlotLimit = 3

    func choose(among slots: [KeyringSlot]) -> [KeyringSlot] {
        switch means {
        case .key(let key), .service(let key, _): return key.choose(among: slots)
        case .password(_, let label, _):
            let passwords = slots.filter { $0.kind == .password }
            // Labels are unique, but a file can hold anything, so try at most one slot.
            if let label {
                return Array(passwords.filter { $0.label.elementsEqual(label.utf8) }.prefix(1))
            }
            let unlabelled = passwords.filter { $0.label.isEmpty }
            let labelled = passwords.filter { !$0.label.isEmpty }
            return Array((unlabelled + labelled).prefix(Self.passwordSlotLimit))
        }
    }

    func key(for slot: KeyringSlot) throws(KeyringError) -> UserKey {
        switch means {
        case .key(let key), .service(let key, _): return key
        case .password(let password, _, _):
            do throws(CipherError) {
                return try stretch(password, slot.salt, slot.stretching)
            } catch { throw .stretching(error) }
        }
    }
}

extension BullaError {
    /// Why the keyring of a file could not be opened.
    ///
    /// - Parameter damaged: what the message says if the keyring is damaged.
    static func keyring(
        _ attempt: String, _ error: KeyringError,
        damaged: String = "both copies of the keyring are damaged"
    ) -> BullaError {
        switch error {
        case .wrongKey:
            BullaError(.wrongKey, "\(attempt): it is encrypted under another key or password")
        case .noSlot:
            BullaError(.keySlotNotFound, "\(attempt): no key slot is of that kind and label")
        case .damaged:
            BullaError(.corrupted, "\(attempt): \(damaged)")
        case .unsupportedVersion(let version):
            BullaError(
                .unsupportedFormat,
                "\(attempt): keyring version is \(version), which this library does not read")
        case .stretching(let error): .stretching(attempt, error)
        case .cipher(let error): .cipher(attempt, error)
        }
    }
}
