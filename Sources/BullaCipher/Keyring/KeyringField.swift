/// The fields of a copy of the keyring, in file order.
///
/// Offsets are sums, so they cannot disagree.
///
///     field           bytes  holds
///     magic               8  "BULLAKEY"
///     layoutVersion       2  of this table: 1
///     reserved            6  zeros
///     generation          8  counts changes of the user's key
///     commitment         32  ties the copy to both halves of the user's key
///     nonce              12  of the sealed secret
///     sealedSecret       64  the master secret under a key from the first half
///     tag                16  of the sealed secret
///     authentication     32  HMAC under a key from the second half, over the digest of the file's
///                            header and all fields before this
///     checksum           32  SHA-256 over all fields before this: finds accidents, with no key
package enum KeyringField: Int, CaseIterable {
    case magic, layoutVersion, reserved, generation, commitment
    case nonce, sealedSecret, tag, authentication, checksum

    package var byteCount: Int {
        switch self {
        case .layoutVersion: 2
        case .reserved: 6
        case .magic, .generation: 8
        case .nonce: 12
        case .tag: 16
        case .commitment, .authentication, .checksum: Digest.byteCount
        case .sealedSecret: MasterSecret.byteCount
        }
    }

    package var offset: Int {
        Self.allCases.prefix(rawValue).reduce(0) { $0 + $1.byteCount }
    }

    package static let totalByteCount = allCases.reduce(0) { $0 + $1.byteCount }
}
