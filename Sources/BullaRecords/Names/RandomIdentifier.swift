internal import Bulla
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
    package var text: String { Hexadecimal.text(bytes) }

    /// The identifier that a text of 32 digits says.
    package init?(text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.init(bytes: bytes)
    }

    private init(identifier: FileIdentifier) { self.identifier = identifier }

    /// A new identifier.
    ///
    /// - Throws: ``RecordError`` when the kernel gives no random bytes.
    package static func new() throws(RecordError) -> RandomIdentifier {
        do throws(CipherError) {
            return RandomIdentifier(identifier: try FileIdentifier.random())
        } catch {
            throw RecordError(.internalError, "make an identifier: \(error)")
        }
    }
}
