internal import BullaCipher
internal import BullaMemory

/// A keyed hash of all records of a zone: each record that is added or removed changes it, and the
/// order of these changes does not matter.
///
/// It is MSet-XOR-Hash of Clarke, Devadas, van Dijk, Gassend and Suh, "Incremental Multiset Hash
/// Functions and Their Application to Memory Integrity Checking" (ASIACRYPT 2003, section 4), with
/// HMAC-SHA-256 as the pseudorandom function: the hash is the XOR of one HMAC for each record. A
/// head holds the hash in covered form: the XOR of the hash and the HMAC of a random nonce. The
/// nonce, and the number of records modulo 2^64, are stored with it.
///
/// - A backend sees only covered hashes. If it saw the hashes themselves, it could solve for sets
///   of old records whose hashes cancel out.
/// - The paper proves nothing about removing an item that was never inserted, and a backend can
///   cause such a removal if it lies about the record that a change replaces. So the item whose
///   HMAC stands for a record contains the number of the change that stored the record: no item is
///   inserted twice in one history of a zone. Removing an absent item has the same effect on the
///   hash as inserting it, but lowers the count by one instead of raising it. The count is then two
///   less than the number of items that the hash stands for, and no later change makes up for that.
///   So a hash and a count that match the records prove that all removals were honest.
struct RecordSetHash {
    /// How many bytes it has when it is covered.
    static let byteCount = 8 + RandomIdentifier.byteCount + Digest.byteCount

    private let zone: RandomIdentifier
    private let key: HMAC
    private(set) var recordCount: UInt64
    private var bytes: [UInt8]

    /// The hash of a zone without records.
    init(of zone: RandomIdentifier, _ container: ContainerKeys) {
        (self.zone, key) = (zone, container.records)
        (recordCount, bytes) = (0, [UInt8](repeating: 0, count: Digest.byteCount))
    }

    /// Adds a record, which the zone's change number `version` stored.
    mutating func insert(
        _ name: String, version: UInt64, digest: [UInt8]
    ) throws(RecordError) {
        recordCount &+= 1
        try combine(item(name, version, digest))
    }

    mutating func remove(
        _ name: String, version: UInt64, digest: [UInt8]
    ) throws(RecordError) {
        recordCount &-= 1
        try combine(item(name, version, digest))
    }

    /// Whether both hashes are of the same records.
    func equals(_ other: RecordSetHash) -> Bool {
        recordCount == other.recordCount
            && bytes.withView { one in other.bytes.withView { Digest(one).equals(Digest($0)) } }
    }

    private func item(_ name: String, _ version: UInt64, _ digest: [UInt8]) -> ByteTuple {
        var tuple = ByteTuple("bulla records set item v1")
        tuple.append(zone)
        tuple.append(version)
        tuple.append(digest)
        tuple.append(name)
        return tuple
    }

    private mutating func combine(_ tuple: ByteTuple) throws(RecordError) {
        let digest: Digest
        do throws(CipherError) {
            digest = try tuple.bytes.withView { message throws(CipherError) in
                try key.digest(of: [message])
            }
        } catch { throw RecordError.cipher("hash the records of a zone", error) }
        for (index, byte) in digest.bytes.enumerated() { bytes[index] ^= byte }
    }
}

/// The covered form: 8 bytes for the number of records, 16 for the nonce, 32 for the hash.
extension RecordSetHash {
    /// The hash, covered with the HMAC of a new nonce.
    func covered() throws(RecordError) -> [UInt8] {
        let nonce = try RandomIdentifier.new().bytes
        var hash = self
        try hash.combine(cover(nonce))
        var covered: [UInt8] = []
        covered.append(number: recordCount)
        return covered + nonce + hash.bytes
    }

    /// Uncovers a hash.
    init(
        covered: [UInt8], of zone: RandomIdentifier, _ container: ContainerKeys
    ) throws(RecordError) {
        precondition(covered.count == Self.byteCount, "a covered hash has its size")
        recordCount = covered.withView { $0.load(UInt64.self, at: 0) }
        (self.zone, key) = (zone, container.records)
        bytes = Array(covered.suffix(Digest.byteCount))
        try combine(cover(Array(covered[8..<8 + RandomIdentifier.byteCount])))
    }

    private func cover(_ nonce: [UInt8]) -> ByteTuple {
        var tuple = ByteTuple("bulla records set cover v1")
        tuple.append(zone)
        tuple.append(nonce)
        return tuple
    }
}

extension SealedRecord {
    /// The SHA-256 of a record's bytes; through it, the zone's seal protects them.
    static func digest(of bytes: [UInt8]) throws(RecordError) -> [UInt8] {
        do throws(CipherError) {
            return try bytes.withView { bytes throws(CipherError) in
                try KeyDerivation.sha256(bytes).bytes
            }
        } catch { throw RecordError.cipher("digest a record", error) }
    }
}
