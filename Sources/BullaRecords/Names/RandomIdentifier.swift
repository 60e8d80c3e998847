internal import Bulla
internal import BullaCipher
package import BullaMemory

/// Sixteen random bytes that identify an incarnation, an account, an asset and the like.
package struct RandomIdentifier: Hashable, Sendable {
    package static let byteCount = FileIdentifier.byteCount

    private let identifier: FileIdentifier

    /// The identifier in the first 16 bytes of `view`.
    package init(_ view: ByteView) { identifier = FileIdentifier(view) }

    /// The identifier that consists of these bytes; `nil` unless there are sixteen.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.withView { RandomIdentifier($0) }
    }

    package var bytes: [UInt8] { identifier.bytes }

    /// The identifier as 32 hexadecimal digits, which sort as the bytes do.
    package var text: String { Hexadecimal.text(bytes) }

    /// The identifier that 32 hexadecimal digits spell; `nil` for any other text.
    package init?(text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.init(bytes: bytes)
    }

    private init(identifier: FileIdentifier) { self.identifier = identifier }

    /// A new identifier.
    ///
    /// - Throws: ``RecordError`` if the kernel provides no random bytes.
    package static func new() throws(RecordError) -> RandomIdentifier {
        do throws(CipherError) {
            return RandomIdentifier(identifier: try FileIdentifier.random())
        } catch {
            throw RecordError(.internalError, "make an identifier: \(error)")
        }
    }
}
