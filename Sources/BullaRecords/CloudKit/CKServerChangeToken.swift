public import Foundation

/// A position in the changes of a zone or a database: opaque, to be stored and passed back.
///
/// It is authenticated: a token that was modified, or that belongs to another database, is refused
/// with ``CKError/Code/invalidArguments``. A zone's token stays valid until the zone is deleted,
/// the store is restored, a deletion newer than the token is forgotten, or the user begins or
/// ceases to take part in a share of the zone's records.
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads what ``encode(with:)`` wrote; `nil` if the archive has no token.
    public convenience init?(coder: NSCoder) {
        guard let data = coder.object(NSData.self, forKey: "token") else { return nil }
        self.init([UInt8](data as Data))
    }

    /// Writes the token into an archive.
    public func encode(with coder: NSCoder) { coder.encode(Data(bytes) as NSData, forKey: "token") }

    /// Whether archives support secure decoding: yes.
    public static var supportsSecureCoding: Bool { true }

    /// The same object, since it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both are the same token.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? CKServerChangeToken)?.bytes == bytes
    }

    /// A hash of the token.
    public override var hash: Int { bytes.hashValue }
}
