internal import BullaCipher
internal import BullaMemory

/// A session's row in the account keyring.
///
///     bytes  field
///        16  account
///         4  epoch of the account's keys
///         8  beginning of the session, milliseconds since 1970
///         8  end of the session
///        32  hash of the session's secret
///        32  random bytes from which, with the secret, the next session's key is derived
///        72  the account's service key, sealed under the secret
struct SessionRow {
    static let sealedKeyByteCount =
        AccountKeys.serviceKeyByteCount + VaultCipher.extraByteCount

    let account: AccountIdentifier
    let epoch: UInt32
    let begun: Int64
    let end: Int64
    let hash: Digest
    let renewal: [UInt8]
    var sealedKey: [UInt8] = []

    private static let renewalByteCount = 32

    /// A row for a new session.
    init(
        _ account: AccountIdentifier, epoch: UInt32, begun: Int64, end: Int64, hash: Digest
    ) throws(CipherError) {
        (self.account, self.epoch, self.begun, self.end) = (account, epoch, begun, end)
        self.hash = hash
        renewal = try [UInt8](byteCount: Self.renewalByteCount) { bytes throws(CipherError) in
            try KernelRandom.fill(bytes)
        }
    }

    private init(
        _ account: AccountIdentifier, _ epoch: UInt32, _ begun: Int64, _ end: Int64,
        _ hash: ByteView, _ renewal: ByteView, _ sealedKey: ByteView
    ) {
        (self.account, self.epoch, self.begun, self.end) = (account, epoch, begun, end)
        (self.hash, self.renewal) = (Digest(hash), renewal.copied())
        self.sealedKey = sealedKey.copied()
    }

    init(_ bytes: [UInt8]) throws(RecordError) {
        guard let row = bytes.withView({ Self.row($0) }) else {
            throw RecordError(.damaged, "read a session: its row is malformed")
        }
        self = row
    }

    private static func row(_ view: ByteView) -> SessionRow? {
        var cursor = ByteCursor(view)
        guard let account = cursor.nextIdentifier(), let epoch = cursor.next(UInt32.self),
            let begun = cursor.next(Int64.self), let end = cursor.next(Int64.self),
            let hash = cursor.nextView(Digest.byteCount),
            let renewal = cursor.nextView(renewalByteCount),
            let sealedKey = cursor.nextView(sealedKeyByteCount), cursor.isAtEnd
        else { return nil }
        return SessionRow(
            AccountIdentifier(account), epoch, begun, end, hash, renewal, sealedKey)
    }

    var bytes: [UInt8] {
        var bytes = account.identifier.bytes
        bytes.append(number: epoch)
        bytes.append(number: begun)
        bytes.append(number: end)
        return bytes + hash.bytes + renewal + sealedKey
    }

    /// The context to which the sealed service key is bound, in addition to the session's key.
    private var context: [UInt8] {
        var tuple = ByteTuple("bulla records session key v1")
        tuple.append(account)
        tuple.append(epoch)
        tuple.append(begun)
        tuple.append(end)
        return tuple.bytes
    }

    /// Seals an account's service key into the row.
    mutating func seal(
        _ serviceKey: borrowing SecretBytes, by wrapper: VaultCipher
    ) throws(CipherError) {
        let context = context
        sealedKey = try serviceKey.withView { serviceKey throws(CipherError) in
            try context.withView { context throws(CipherError) in
                try [UInt8](byteCount: Self.sealedKeyByteCount) { sealed throws(CipherError) in
                    try wrapper.seal(serviceKey, context: context, into: sealed)
                }
            }
        }
    }

    /// The service key that is sealed in the row.
    func serviceKey(by wrapper: VaultCipher) throws(CipherError) -> SecretBytes {
        var serviceKey = try SecretBytes.zeroed(byteCount: AccountKeys.serviceKeyByteCount)
        try serviceKey.withMutableView { serviceKey throws(CipherError) in
            try context.withView { context throws(CipherError) in
                try sealedKey.withView { sealed throws(CipherError) in
                    try wrapper.open(sealed, context: context, into: serviceKey)
                }
            }
        }
        return serviceKey
    }
}
