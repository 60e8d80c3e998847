internal import BullaCipher
internal import BullaMemory

/// Pads the cleartext of an encrypted field, so that its length reveals less.
///
/// The form is that of a vault's sealed blob: a length of 32 bits, the value, zeros.
enum FieldPadding {
    static func padded(_ value: [UInt8]) -> [UInt8] {
        let count = BlobPadding.paddedByteCount(BlobPadding.lengthByteCount + value.count)
        var padded: [UInt8] = []
        padded.reserveCapacity(count)
        padded.append(counted: value)
        while padded.count < count { padded.append(0) }
        return padded
    }

    /// The value; throws ``CipherError/Code/malformed`` if the padding is not valid.
    static func value(_ padded: ByteView) throws(CipherError) -> ByteView {
        try BlobPadding.cleartext(in: padded)
    }
}
