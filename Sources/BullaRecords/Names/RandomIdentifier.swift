internal import BullaCipher
package import BullaMemory

/// Sixteen random bytes, made once: what tells an incarnation, an account, an asset from all
/// others.
package struct RandomIdentifier: Hashable, Sendable {
    package static let byteCount = FileIdentifier.byteCount

    private let identifier: FileIdentifier

    /// The identifier that stands in the first 16 bytes of `view`.
    package init(_ view: ByteView) { identifier = FileIdentifier(view) }

    /// The identifier that sixteen bytes are; `nil` where there are not so many.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.withView { RandomIdentifier($0) }
    }

    package var bytes: [UInt8] { identifier.bytes }

    /// As 32 digits of 16, which sort as the bytes do.
    package var text: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * Self.byteCount)
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The identifier that a text of 32 digits says.
    package init?(text: String) {
        var bytes: [UInt8] = []
        var high: UInt8?
        guard text.utf8.count == 2 * Self.byteCount else { return nil }
        for letter in text.utf8 {
            let digit: UInt8
            switch letter {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = letter - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = letter - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        self.init(bytes: bytes)
    }

    private init(identifier: FileIdentifier) { self.identifier = identifier }

    /// A new identifier.
    ///
    /// - Throws: ``RecordError`` when the kernel gives no random bytes.
    static func new() throws(RecordError) -> RandomIdentifier {
        do throws(CipherError) {
            return RandomIdentifier(identifier: try FileIdentifier.random())
        } catch {
            throw RecordError(.internalError, "make an identifier: \(error)")
        }
    }
}
