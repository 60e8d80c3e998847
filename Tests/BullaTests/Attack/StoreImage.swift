import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport

/// The bytes of a closed store's file, for changes by an attacker who knows the format.
struct StoreImage {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static let copies = [0, PageFormat.copyDistance]

    var pageByteCount: Int {
        Int(bytes.load(UInt32.self, at: HeaderField.pageByteCount.offset))
    }

    /// Writes a format version into both headers, and corrects their checksums.
    mutating func setFormatVersion(_ version: UInt16) {
        for copy in Self.copies {
            bytes.store(version, at: copy + HeaderField.formatVersion.offset)
            setDigest(of: copy..<copy + HeaderField.checksum.offset)
        }
    }

    /// Writes a layout version into both copies of the keyring, and corrects their checksums.
    mutating func setKeyringVersion(_ version: UInt16) throws {
        for copy in Self.copies {
            let start = copy + PageFormat.keyringOffset
            bytes.store(version, at: start + KeyringField.layoutVersion.offset)
            setDigest(of: start..<start + KeyringField.checksum.offset)
        }
    }

    /// Writes the SHA-256 of a range after the range.
    private mutating func setDigest(of range: Range<Int>) {
        guard let digest = sha256(Array(bytes[range])) else { return }
        bytes.replace(at: range.upperBound, with: digest)
    }

    var pageNumbers: Range<Int> {
        PageFormat.preambleByteCount / pageByteCount..<bytes.count / pageByteCount
    }

    func page(_ number: Int) -> [UInt8] {
        Array(bytes[number * pageByteCount..<(number + 1) * pageByteCount])
    }

    mutating func setPage(_ number: Int, _ page: [UInt8]) {
        bytes.replace(at: number * pageByteCount, with: page)
    }
}

func sha256(_ bytes: [UInt8]) -> [UInt8]? {
    bytes.withBytes { span in span.withView { try? KeyDerivation.sha256($0).bytes } }
}
