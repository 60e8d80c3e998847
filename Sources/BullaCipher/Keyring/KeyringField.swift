/// The fields of a copy of the keyring, in file order.
///
/// Offsets are sums, so they cannot disagree. Numbers are little-endian; unused bytes are zero.
///
///     field           bytes  holds
///     magic               8  "BULLAKEY"
///     layoutVersion       2  the version of this table and of the table of a slot: 2
///     slotCount           2  1 to 8
///     flags               4  1 while pages may be sealed under a former secret
///     nextSlot            4  the number that the next slot gets
///     reserved            4  zeros
///     generation          8  counts changes of the keyring
///     firstEpoch          8  the first key epoch under the master secret; earlier epochs are
///                            under the former secret
///     former             92  nonce, former secret, tag, under a key from the master secret
///     successor          92  nonce, master secret, tag, under a key from the former secret
///     slots            3808  one after the other (``SlotField``)
///     authentication     32  HMAC under a key from the master secret, over the digest of the
///                            file's header and all fields before this
///     checksum           32  SHA-256 over all fields before this: finds accidental damage,
///                            needs no key
package enum KeyringField: Int, CaseIterable {
    case magic, layoutVersion, slotCount, flags, nextSlot, reserved, generation, firstEpoch
    case former, successor, slots, authentication, checksum

    package var byteCount: Int {
        switch self {
        case .layoutVersion, .slotCount: 2
        case .flags, .nextSlot, .reserved: 4
        case .magic, .generation, .firstEpoch: 8
        case .former, .successor: MasterSecret.byteCount + RecordSeal.extraByteCount
        case .authentication, .checksum: Digest.byteCount
        case .slots: 3808
        }
    }

    package var offset: Int {
        Self.allCases.prefix(rawValue).reduce(0) { $0 + $1.byteCount }
    }

    /// 4096: one block of the disk.
    package static let totalByteCount = allCases.reduce(0) { $0 + $1.byteCount }
}

/// The fields of a slot, in file order; its label follows, then the key that a service wrapped.
///
///     field             bytes  holds
///     byteCount             2  of the whole slot
///     kind                  1  1 key, 2 password, 3 key service
///     labelByteCount        1  0 to 63
///     number                4  names the slot; no later slot gets it
///     wrappedByteCount      2  for a key service 1 to 1024, otherwise 0
///     reserved              6  zeros
///     stretching           16  how a password is stretched; otherwise zeros
///     salt                 32  random
///     commitment           32  ties the slot to both halves of its key
///     nonce                12  of the sealed secret
///     sealedSecret         64  the master secret under a key from the first half
///     tag                  16  of the sealed secret
///     authentication       32  HMAC under a key from the second half, over the digest of the
///                              file's header, all fields before this, the label, the wrapped key
package enum SlotField: Int, CaseIterable {
    case byteCount, kind, labelByteCount, number, wrappedByteCount, reserved, stretching, salt
    case commitment, nonce, sealedSecret, tag, authentication

    package var byteCount: Int {
        switch self {
        case .kind, .labelByteCount: 1
        case .byteCount, .wrappedByteCount: 2
        case .number: 4
        case .reserved: 6
        case .nonce: 12
        case .stretching, .tag: 16
        case .salt, .commitment, .authentication: 32
        case .sealedSecret: MasterSecret.byteCount
        }
    }

    package var offset: Int {
        Self.allCases.prefix(rawValue).reduce(0) { $0 + $1.byteCount }
    }

    /// The length of all fields together; the label follows them.
    package static let totalByteCount = allCases.reduce(0) { $0 + $1.byteCount }
}
