internal import BullaCipher
internal import BullaMemory

/// The fields of the table of key epochs, in file order; the table's spans follow them.
package enum KeyEpochTableField: Int, CaseIterable {
    case magic, formatVersion, reserved, spanCount, authenticator

    package var byteCount: Int {
        switch self {
        case .magic, .spanCount: 8
        case .formatVersion: 2
        case .reserved: 6
        case .authenticator: 32
        }
    }

    package var offset: Int { Self.allCases.prefix(rawValue).reduce(0) { $0 + $1.byteCount } }
    package static let byteCount = allCases.reduce(0) { $0 + $1.byteCount }

    package var meaning: String {
        switch self {
        case .magic: "the bytes 42 55 4C 4C 41 65 70 6F"
        case .formatVersion: "1"
        case .reserved: "zero"
        case .spanCount: "spans that follow"
        case .authenticator: "HMAC-SHA-256 of the header's checksum, the fields before, the spans"
        }
    }
}

/// One copy of the table of key epochs, as bytes.
///
/// Each span is its first epoch (8 bytes) and the identifier of its history (16). The HMAC uses the
/// key of the meta slots, which is safe because no meta slot begins like a table.
enum KeyEpochTable {
    static let magic: UInt64 = 0x6F70_6541_4C4C_5542
    static let spanByteCount = 24
    /// How many spans fit between the meta slot and the log's mark.
    static let spanLimit = (byteLimit - KeyEpochTableField.byteCount) / spanByteCount
    static let byteLimit = PageFormat.markOffset - PageFormat.keyEpochsOffset

    /// Writes a copy's bytes.
    ///
    /// - Returns: how many bytes were written.
    static func write(
        _ epochs: KeyEpochs, _ header: HeaderPage, _ hmac: HMAC, into bytes: MutableByteView
    ) throws(BullaError) -> Int {
        bytes.store(magic, at: KeyEpochTableField.magic.offset)
        bytes.store(PageFormat.version, at: KeyEpochTableField.formatVersion.offset)
        bytes.fill(KeyEpochTableField.reserved.offset, KeyEpochTableField.reserved.byteCount)
        bytes.store(UInt64(epochs.spans.count), at: KeyEpochTableField.spanCount.offset)
        for (index, span) in epochs.spans.enumerated() {
            bytes.store(span.first, at: offset(index))
            span.history.write(bytes, at: offset(index) + 8)
        }
        try authenticator(bytes.view, epochs.spans.count, header, hmac)
            .store(in: bytes, at: KeyEpochTableField.authenticator.offset)
        return offset(epochs.spans.count)
    }

    /// The epochs that a copy names, or `nil` if the copy is damaged or forged.
    static func read(
        _ bytes: ByteView, _ header: HeaderPage, _ hmac: HMAC
    ) throws(BullaError) -> KeyEpochs? {
        let claim = bytes.load(UInt64.self, at: KeyEpochTableField.spanCount.offset)
        guard bytes.load(UInt64.self, at: KeyEpochTableField.magic.offset) == magic,
            claim <= UInt64(spanLimit)
        else { return nil }
        let count = Int(claim)
        let stored = Digest(
            bytes.slice(KeyEpochTableField.authenticator.offset, Digest.byteCount))
        guard try authenticator(bytes, count, header, hmac).equals(stored) else { return nil }
        return KeyEpochs(
            (0..<count).map { index in
                KeyEpochs.Span(
                    first: bytes.load(UInt64.self, at: offset(index)),
                    history: Identifier(bytes, at: offset(index) + 8))
            })
    }

    private static func offset(_ span: Int) -> Int {
        KeyEpochTableField.byteCount + span * spanByteCount
    }

    private static func authenticator(
        _ bytes: ByteView, _ count: Int, _ header: HeaderPage, _ hmac: HMAC
    ) throws(BullaError) -> Digest {
        do throws(CipherError) {
            return try header.digest.bytes.withView { digest throws(CipherError) in
                try hmac.digest(
                    of: [
                        digest, bytes.slice(0, KeyEpochTableField.authenticator.offset),
                        bytes.slice(KeyEpochTableField.byteCount, count * spanByteCount),
                    ])
            }
        } catch { throw BullaError.cipher("authenticate the table of key epochs", error) }
    }
}
