package import BullaCipher
package import BullaMemory

/// The fields of the header, in file order.
///
/// The offsets are sums of the fields' lengths, so the two cannot disagree.
package enum HeaderField: Int, CaseIterable {
    case magic, formatVersion, suite, reserved, pageByteCount, fileIdentifier, checksum

    package var byteCount: Int {
        switch self {
        case .magic: 8
        case .formatVersion, .suite: 2
        case .reserved, .pageByteCount: 4
        case .fileIdentifier: 16
        case .checksum: 32
        }
    }

    package var offset: Int { Self.allCases.prefix(rawValue).reduce(0) { $0 + $1.byteCount } }
    package static let byteCount = allCases.reduce(0) { $0 + $1.byteCount }

    package var meaning: String {
        switch self {
        case .magic: "the bytes 42 55 4C 4C 41 0D 0A 1A"
        case .formatVersion: "1"
        case .suite: "0 plain, 1 AES-256-GCM, 2 AES-256-CTR with HMAC-SHA-256"
        case .reserved: "zero"
        case .pageByteCount: "4096, 8192, 16384, 32768 or 65536"
        case .fileIdentifier: "random, given at creation"
        case .checksum: "SHA-256 of the fields before; the meta page's HMAC covers it"
        }
    }
}

/// The properties of a store that never change: set at creation, and covered by every meta page's
/// HMAC.
package struct HeaderPage: Sendable {
    /// "BULLA", then bytes that a transfer in text mode would change.
    static let magic = UInt64(littleEndian: 0x1A0A_0D41_4C4C_5542)

    package let suite: Suite
    package let format: PageFormat
    package let fileIdentifier: FileIdentifier
    /// SHA-256 of the other fields.
    package let digest: Digest

    package init(suite: Suite, format: PageFormat, fileIdentifier: FileIdentifier)
        throws(BullaError)
    {
        self.suite = suite
        self.format = format
        self.fileIdentifier = fileIdentifier
        let buffer = try Buffer.make(HeaderField.byteCount)
        Self.writeFields(suite, format, fileIdentifier, buffer.bytes)
        digest = try Self.digest(buffer.bytes.view)
    }

    package func write(_ bytes: MutableByteView) {
        Self.writeFields(suite, format, fileIdentifier, bytes)
        digest.store(in: bytes, at: HeaderField.checksum.offset)
    }

    private static func writeFields(
        _ suite: Suite, _ format: PageFormat, _ file: FileIdentifier, _ bytes: MutableByteView
    ) {
        bytes.store(magic, at: HeaderField.magic.offset)
        bytes.store(PageFormat.version, at: HeaderField.formatVersion.offset)
        bytes.store(UInt16(suite.rawValue), at: HeaderField.suite.offset)
        bytes.store(UInt32(0), at: HeaderField.reserved.offset)
        bytes.store(UInt32(format.pageByteCount), at: HeaderField.pageByteCount.offset)
        file.store(in: bytes, at: HeaderField.fileIdentifier.offset)
    }

    private static func digest(_ bytes: ByteView) throws(BullaError) -> Digest {
        do { return try KeyDerivation.sha256(bytes.slice(0, HeaderField.checksum.offset)) } catch {
            throw BullaError.cipher("digest header", error)
        }
    }

    /// The number of the damaged copy of a header, 0 or 1; `nil` if both copies are whole, or if
    /// there is no memory for comparing them.
    package static func damagedCopy(of header: HeaderPage, in preamble: ByteView) -> Int? {
        guard let buffer = try? Buffer.make(HeaderField.byteCount) else { return nil }
        let whole = buffer.bytes.slice(0, HeaderField.byteCount)
        header.write(whole)
        return (0..<2).first { copy in
            preamble.slice(copy * PageFormat.copyDistance, HeaderField.byteCount)
                .compare(whole.view) != 0
        }
    }

    /// Reads a header, and checks everything in it.
    ///
    /// - Throws: `notAStore`, `unsupportedFormat` or `corrupted`; `io` or `outOfMemory` if the
    ///   header's digest cannot be computed.
    package static func read(_ bytes: ByteView, of path: String) throws(BullaError) -> HeaderPage {
        guard bytes.load(UInt64.self, at: HeaderField.magic.offset) == magic else {
            throw BullaError(.notAStore, "open \(path): it does not begin as a Bulla store does")
        }
        guard bytes.byteCount >= HeaderField.byteCount else {
            throw BullaError(.corrupted, "open \(path): the file was cut short inside its header")
        }
        let version = bytes.load(UInt16.self, at: HeaderField.formatVersion.offset)
        guard version == PageFormat.version else {
            throw BullaError(
                .unsupportedFormat,
                "open \(path): format version is \(version), "
                    + "this library reads \(PageFormat.version)"
            )
        }
        let stored = Digest(bytes.slice(HeaderField.checksum.offset, Digest.byteCount))
        let suite = Suite(
            rawValue: UInt8(clamping: bytes.load(UInt16.self, at: HeaderField.suite.offset)))
        let pageByteCount = Int(bytes.load(UInt32.self, at: HeaderField.pageByteCount.offset))
        guard try digest(bytes).equals(stored), let suite,
            PageFormat.pageByteCounts.contains(pageByteCount)
        else {
            throw BullaError(.corrupted, "open \(path): the header is damaged")
        }
        return try HeaderPage(
            suite: suite, format: PageFormat(pageByteCount: pageByteCount),
            fileIdentifier: FileIdentifier(
                bytes.slice(HeaderField.fileIdentifier.offset, FileIdentifier.byteCount)))
    }
}
