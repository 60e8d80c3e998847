package import BullaMemory

/// What a blob encrypts: a cleartext padded with zeros, so that the length reveals less.
///
///     offset  bytes  field
///          0      4  n, little-endian
///          4      n  cleartext
///      4 + n         zeros, to the padded count
///
/// - Source: Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with
///   PURBs", Proceedings on Privacy Enhancing Technologies, 2019, section 4: Padme.
package enum BlobPadding {
    package static let lengthByteCount = MemoryLayout<UInt32>.size
    /// Up to ``stepLimit``, all padded lengths are multiples of this.
    package static let step = 32
    static let stepLimit = 256

    /// The length to which a plaintext of that many bytes is padded.
    ///
    /// A length above ``stepLimit`` has E + 1 binary digits, and the number E itself has S. The
    /// length is rounded up by less than 12 %, to a multiple of 2^(E - S). So in the padded length,
    /// only the first S + 1 binary digits can be nonzero.
    package static func paddedByteCount(_ byteCount: Int) -> Int {
        if byteCount <= stepLimit { return byteCount.roundedUp(toMultipleOf: step) }
        let exponent = digitCount(byteCount) - 1
        let unit = 1 << (exponent - digitCount(exponent))
        return byteCount.roundedUp(toMultipleOf: unit)
    }

    private static func digitCount(_ number: Int) -> Int {
        Int.bitWidth - number.leadingZeroBitCount
    }

    /// Fills `plaintext` with length, cleartext and zeros.
    static func pad(_ cleartext: ByteView, into plaintext: MutableByteView) {
        let end = lengthByteCount + cleartext.byteCount
        plaintext.store(UInt32(cleartext.byteCount), at: 0)
        plaintext.copy(cleartext, to: lengthByteCount)
        plaintext.fill(end, plaintext.byteCount - end)
    }

    /// The cleartext in a plaintext.
    ///
    /// - Throws: ``CipherError/Code/malformed`` if a cleartext of the stored length would be padded
    ///   to another count than this plaintext has, or if the padding is not all zeros.
    package static func cleartext(in plaintext: ByteView) throws(CipherError) -> ByteView {
        let byteCount = Int(plaintext.load(UInt32.self, at: 0))
        let end = lengthByteCount + byteCount
        guard paddedByteCount(end) == plaintext.byteCount,
            plaintext.slice(end, plaintext.byteCount - end).isZero
        else { throw CipherError(.malformed) }
        return plaintext.slice(lengthByteCount, byteCount)
    }
}
