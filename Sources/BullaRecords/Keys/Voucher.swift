internal import BullaCipher
internal import BullaMemory

/// Authenticates, with a key of the container, bytes that others store: heads, change tokens, share
/// tokens, the schema, entries of the directory, and where databases are.
///
/// The bytes are followed by the HMAC-SHA-256 of their context and of the bytes themselves. The
/// context begins with a label, and each purpose has its own label.
struct Voucher {
    private let key: HMAC
    private let place: ByteTuple

    /// - Parameter place: the context of the bytes.
    init(_ key: HMAC, _ place: ByteTuple) { (self.key, self.place) = (key, place) }

    /// The bytes, followed by their HMAC.
    func vouched(_ body: [UInt8]) throws(RecordError) -> [UInt8] {
        body + (try digest(of: body).bytes)
    }

    /// The bytes that were passed to ``vouched(_:)``; `nil` if the HMAC is not valid in this
    /// context.
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

extension ContainerKeys {
    /// Vouches for a version of the schema.
    func schemaVoucher(_ version: UInt64) -> Voucher {
        var tuple = ByteTuple("bulla records schema v1", place)
        tuple.append(version)
        return Voucher(schema, tuple)
    }

    /// Vouches for the row of a database's home at a site.
    func homeVoucher(of database: Database, at site: String) -> Voucher {
        var tuple = ByteTuple("bulla records home row v1", place)
        tuple.append(database.owner)
        tuple.append(site)
        return Voucher(directory, tuple)
    }
}
