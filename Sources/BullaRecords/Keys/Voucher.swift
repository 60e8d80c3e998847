internal import BullaCipher
internal import BullaMemory

/// Lets a key of the container vouch for bytes that others keep: heads, tokens, marks, the schema.
///
/// Behind the bytes stands the HMAC-SHA-256 of what they belong to and of themselves. What they
/// belong to begins with a label, and no two purposes have one label.
struct Voucher {
    private let key: HMAC
    private let place: ByteTuple

    /// - Parameter place: what the bytes belong to.
    init(_ key: HMAC, _ place: ByteTuple) { (self.key, self.place) = (key, place) }

    /// The bytes, and what vouches for them.
    func vouched(_ body: [UInt8]) throws(RecordError) -> [UInt8] {
        body + (try digest(of: body).bytes)
    }

    /// The bytes that ``vouched(_:)`` was given; `nil` where the key does not vouch for them here.
    func body(of bytes: [UInt8]) throws(RecordError) -> [UInt8]? {
        guard bytes.count > Digest.byteCount else { return nil }
        let body = Array(bytes.dropLast(Digest.byteCount))
        let found = Array(bytes.suffix(Digest.byteCount)).withView { Digest($0) }
        return try digest(of: body).equals(found) ? body : nil
    }

    private func digest(of body: [UInt8]) throws(RecordError) -> Digest {
        var tuple = place
        tuple.append(body)
        do throws(CipherError) {
            return try tuple.bytes.withView { message throws(CipherError) in
                try key.digest(of: [message])
            }
        } catch { throw RecordError.cipher("vouch for what others keep", error) }
    }
}
