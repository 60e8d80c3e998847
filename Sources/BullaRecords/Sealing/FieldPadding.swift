internal import BullaCipher
internal import BullaMemory

/// What an encrypted field encrypts: its value among zeros, so that its length tells less.
///
/// As a sealed blob of a vault: a length of 32 bits, the value, zeros.
enum FieldPadding {
    static func padded(_ value: [UInt8]) -> [UInt8] {
        let count = BlobPadding.paddedByteCount(BlobPadding.lengthByteCount + value.count)
        var padded: [UInt8] = []
        padded.reserveCapacity(count)
        padded.append(counted: value)
        while padded.count < count { padded.append(0) }
        return padded
    }

    /// The value; ``CipherError/Code/malformed`` for what no writer pads so.
    static func value(_ padded: ByteView) throws(CipherError) -> ByteView {
        try BlobPadding.cleartext(in: padded)
    }
}
