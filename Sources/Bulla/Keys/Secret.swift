internal import BullaCipher
internal import BullaMemory

/// A password or key material: 1 to 4096 bytes in memory that is kept out of core dumps, locked
/// against swapping unless ``KeyMemory`` says otherwise, and wiped when the last reference is gone.
///
/// It prints, dumps and reflects as `secret`, and is neither `Codable` nor `Equatable`. A child
/// after `fork` does not have the bytes: an attempt to lend them there stops the child, which would
/// otherwise take zeros for the secret.
public final class Secret: Sendable {
    /// The maximum number of bytes that a secret can have.
    public static let byteLimit = 4096

    /// How many bytes it has; this number is not secret.
    public let byteCount: Int

    private let bytes: SecretBytes

    /// Copies bytes; their owner must wipe the original.
    ///
    /// - Parameter bytes: any 1 to 4096 bytes.
    /// - Throws: `invalidArgument` for another number of bytes; `outOfMemory`.
    public convenience init(_ bytes: RawSpan) throws(BullaError) {
        guard bytes.byteCount > 0 else {
            throw BullaError(
                .invalidArgument,
                "take a secret: it has 0 bytes, expected 1 to \(Self.byteLimit)")
        }
        try self.init(bytes, name: nil)
    }

    /// Copies what a source returned, and throws `keySourceEmpty` if that is empty.
    ///
    /// - Parameter name: the source, for messages.
    init(_ bytes: RawSpan, name: String?) throws(BullaError) {
        let attempt = "take a secret" + (name.map { " from \($0)" } ?? "")
        guard bytes.byteCount > 0 else {
            throw BullaError(.keySourceEmpty, "\(attempt): it is empty")
        }
        guard bytes.byteCount <= Self.byteLimit else {
            throw BullaError(
                .invalidArgument,
                "\(attempt): it has more than \(Self.byteLimit) bytes, the most that a secret has")
        }
        byteCount = bytes.byteCount
        do { self.bytes = try SecretBytes(copying: bytes) } catch {
            throw BullaError.memory(attempt, error)
        }
    }

    /// Lends the bytes.
    ///
    /// The caller must wipe whatever `body` copies from them.
    ///
    /// - Throws: what `body` throws.
    public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try withView { view throws(E) in try view.withSpan(body) }
    }

    /// Lends the bytes; throws the typed error of `body`.
    func withView<R: ~Copyable, E: Error>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
        precondition(bytes.isIntact, "a secret is not used in a child of a fork")
        return try bytes.withView(body)
    }

    /// Whether the other secret has the same bytes; the time that this takes depends only on their
    /// number.
    func isSame(as other: Secret) -> Bool {
        withView { one in other.withView { ConstantTime.areEqual(one, $0) } }
    }
}

/// A secret never shows its content.
extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The word `secret`.
    public var description: String { "secret" }

    /// The word `secret`.
    public var debugDescription: String { "secret" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
