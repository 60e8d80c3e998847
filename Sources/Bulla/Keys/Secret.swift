internal import BullaCipher
internal import BullaMemory

/// A password, or key material: 1 to 4096 bytes in memory that is kept out of core dumps, locked
/// against swapping unless ``KeyMemory`` says otherwise, and wiped when the last reference goes.
///
/// It prints, dumps and reflects as `secret`, and has neither coding nor equality. A child after
/// `fork` does not have it: lending it there stops the child, so that zeros are not taken for it.
public final class Secret: Sendable {
    /// The most bytes that a secret has.
    public static let byteLimit = 4096

    /// How many bytes it has; that is no secret.
    public let byteCount: Int

    private let bytes: SecretBytes

    /// A copy of bytes, which stay with their owner to be wiped.
    ///
    /// - Parameter bytes: 1 to 4096 of them; any bytes.
    /// - Throws: `invalidArgument` for another number of bytes; `outOfMemory`.
    public convenience init(_ bytes: RawSpan) throws(BullaError) {
        guard bytes.byteCount > 0 else {
            throw BullaError(
                .invalidArgument,
                "take a secret: it has 0 bytes, expected 1 to \(Self.byteLimit)")
        }
        try self.init(bytes, name: nil)
    }

    /// What a source gave; an empty one is the source's own error.
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
    /// Whatever `body` copies from them is the caller's to wipe.
    public func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try withView { view in try view.withSpan(body) }
    }

    /// Lends the bytes, and passes one type of error on.
    func withView<R, E: Error>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
        precondition(bytes.isIntact, "a secret is not used in a child of a fork")
        return try bytes.withView(body)
    }

    /// Whether the other has the same bytes, found in a time that depends on their number alone.
    func isSame(as other: Secret) -> Bool {
        withView { one in other.withView { ConstantTime.areEqual(one, $0) } }
    }
}

/// A secret shows nothing of itself.
extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The word `secret`.
    public var description: String { "secret" }

    /// The word `secret`.
    public var debugDescription: String { "secret" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
