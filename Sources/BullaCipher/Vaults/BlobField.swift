/// The fields of a sealed blob, in the order of its bytes.
///
/// Offsets are sums of the byte counts, so they cannot disagree with those.
///
///     field       bytes  holds
///     version         1  the version of this table: 1
///     reserved        1  zero
///     epoch           4  which key of the vault sealed it, little-endian
///     vault          16  which vault
///     nonce          24  random
///     ciphertext      n  length, cleartext, padding: see `BlobPadding`
///     tag            16
///
/// The fields before the nonce are the header: in clear, and authenticated.
package enum BlobField: Int, CaseIterable {
    case version, reserved, epoch, vault, nonce, ciphertext, tag

    /// The field's length; zero for the ciphertext, whose length follows from the blob's.
    package var byteCount: Int {
        switch self {
        case .version, .reserved: 1
        case .epoch: 4
        case .vault: VaultIdentifier.byteCount
        case .nonce: 24
        case .ciphertext: 0
        case .tag: 16
        }
    }

    /// The offset from the beginning of the blob; for the tag, its offset in a blob without
    /// ciphertext.
    ///
    /// The compiler computes the sum; a table would be checked for initialization at each lookup.
    @inline(__always)
    package var offset: Int {
        var offset = 0
        for number in 0..<rawValue { offset += BlobField(rawValue: number)?.byteCount ?? 0 }
        return offset
    }

    /// How many more bytes a blob has than its ciphertext.
    package static var extraByteCount: Int { BlobField.tag.offset + BlobField.tag.byteCount }
}
