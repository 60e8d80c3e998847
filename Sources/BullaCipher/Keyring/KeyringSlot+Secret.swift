internal import BullaMemory

/// Sealing the master secret in a slot, and opening it.
extension KeyringSlot {
    /// A slot that holds `master` under `key`.
    init(
        _ form: Form, number: UInt32, _ master: borrowing MasterSecret, under key: UserKey,
        headerDigest: Digest
    ) throws(CipherError) {
        var bytes = Self.head(form, number) + form.label + form.wrapped
        let keys = try SlotKeys(
            key, salt: form.salt, file: master.fileIdentifier, headerDigest: headerDigest)
        bytes.replace(.commitment, with: keys.commitment.bytes)
        let context = try keys.sealContext(of: bytes)
        // Refuse a secret that is gone: a child after a fork does not have it, and a wiped one is
        // zeros.
        try master.secret.checkIntact()
        let sealed = try [UInt8](byteCount: Self.sealedByteCount) { sealed throws(CipherError) in
            try master.secret.withView { secret throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try RecordSeal.seal(secret, key: keys.sealing, context: context, into: sealed)
                }
            }
        }
        bytes.replace(.nonce, with: sealed)
        bytes.replace(.authentication, with: try keys.authenticate(bytes).bytes)
        self.bytes = bytes
    }

    /// The fields before the commitment, then zeros in place of the commitment and the fields after
    /// it.
    private static func head(_ form: Form, _ number: UInt32) -> [UInt8] {
        let byteCount = SlotField.totalByteCount + form.label.count + form.wrapped.count
        var bytes = [UInt8](repeating: 0, count: SlotField.totalByteCount)
        bytes.replace(.byteCount, with: UInt16(byteCount).littleEndianBytes)
        bytes.replace(.kind, with: [form.kind.rawValue])
        bytes.replace(.labelByteCount, with: [UInt8(form.label.count)])
        bytes.replace(.number, with: number.littleEndianBytes)
        bytes.replace(.wrappedByteCount, with: UInt16(form.wrapped.count).littleEndianBytes)
        bytes.replace(.stretching, with: form.stretching)
        bytes.replace(.salt, with: form.salt)
        return bytes
    }

    /// The result of trying a key on a slot.
    enum Attempt: ~Copyable {
        /// The slot belongs to another key.
        case foreign
        /// The key belongs to this slot, but bytes that the key authenticates were changed.
        case forged
        case opened(MasterSecret)
    }

    /// Tries a key.
    func open(
        with key: UserKey, file: FileIdentifier, headerDigest: Digest
    ) throws(CipherError) -> Attempt {
        let keys = try SlotKeys(key, salt: salt, file: file, headerDigest: headerDigest)
        guard Digest(field(.commitment)).equals(keys.commitment) else { return .foreign }
        guard Digest(field(.authentication)).equals(try keys.authenticate(bytes)) else {
            return .forged
        }
        var secret = try SecretBytes.zeroed(byteCount: MasterSecret.byteCount)
        let sealed = Array(bytes[SlotField.nonce.offset...].prefix(Self.sealedByteCount))
        let context = try keys.sealContext(of: bytes)
        do throws(CipherError) {
            try secret.withMutableView { secret throws(CipherError) in
                try sealed.withView { sealed throws(CipherError) in
                    try context.withView { context throws(CipherError) in
                        try RecordSeal.open(
                            sealed, key: keys.sealing, context: context, into: secret)
                    }
                }
            }
        } catch  where error.code == .badTag {
            return .forged
        }
        return .opened(MasterSecret(secret, fileIdentifier: file))
    }

    /// Whether a key belongs to the slot, and no byte that the key authenticates was changed.
    package func isOpened(
        by key: UserKey, file: FileIdentifier, headerDigest: Digest
    ) throws(CipherError) -> Bool {
        switch try open(with: key, file: file, headerDigest: headerDigest) {
        case .opened: true
        case .foreign: false
        case .forged: false
        }
    }

    private static let sealedByteCount = MasterSecret.byteCount + RecordSeal.extraByteCount
}

extension [UInt8] {
    /// Overwrites a field of a slot.
    ///
    /// A longer `field` also overwrites the fields after it.
    fileprivate mutating func replace(_ which: SlotField, with field: [UInt8]) {
        replaceSubrange(which.offset..<which.offset + field.count, with: field)
    }
}
