public import Foundation

/// How far a follower has come in a zone: opaque, to be kept and given back.
///
/// It is of one zone's life, and authenticated: one that was changed, or is of another database, is
/// refused with ``CKError/Code/invalidArguments``.
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads what ``encode(with:)`` has written; `nil` where that is not there.
    public convenience init?(coder: NSCoder) {
        guard let data = coder.object(NSData.self, forKey: "token") else { return nil }
        self.init([UInt8](data as Data))
    }

    /// Writes the token into an archive.
    public func encode(with coder: NSCoder) { coder.encode(Data(bytes) as NSData, forKey: "token") }

    /// Archives of it may be read securely.
    public static var supportsSecureCoding: Bool { true }

    /// The same object: nothing changes it.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both are the same token.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? CKServerChangeToken)?.bytes == bytes
    }

    /// A hash of the token.
    public override var hash: Int { bytes.hashValue }
}
