import Bulla
import BullaCipher
import BullaMemory
import BullaRecords
import BullaRecordsWorker
import BullaTestSupport

/// The keys of an account's records, as bytes to search for; they are derived and unwrapped here
/// according to the formats, since no module exports them.
struct KeyCanaries {
    private(set) var keys: [[UInt8]] = []

    init(_ site: TrialSite, _ account: AccountIdentifier, _ key: StoreKey, zone: String) throws {
        let database = Database(TrialSite.place, owner: account)
        let head = try EmbeddedBackend(site.records).zone(named: zone, in: database)
        var found: [[UInt8]] = []
        try site.keyring.withServiceKey(of: account, in: TrialSite.place, unlockedBy: key) {
            _, serviceKey in
            found.append(Self.bytes(serviceKey))
            var tuple = Tuple("bulla records account zone wraps v1", TrialSite.place)
            tuple.append(account.identifier.bytes)
            let derived = try serviceKey.withView { key throws(CipherError) in
                try KeyDerivation.hkdf(key: key, salt: [], info: tuple.bytes, byteCount: 32)
            }
            found.append(Self.bytes(derived))
            guard let head else { return }
            found.append(try Self.zoneKey(head, account, VaultCipher(key: derived)))
        }
        keys = found
    }

    /// The key of a zone's first epoch, from its wrap in the head.
    private static func zoneKey(
        _ head: StoredZone, _ account: AccountIdentifier, _ wrapper: VaultCipher
    ) throws -> [UInt8] {
        let start = 14
        let wrap = Array(head.keys[start..<start + ZoneKey.wrappedByteCount])
        var tuple = Tuple("bulla records zone key v1", head.database.place)
        tuple.append(account.identifier.bytes)
        tuple.append(head.incarnation.bytes)
        // The field for a share is empty, because this is the zone's own key.
        tuple.append([])
        tuple.append([1, 0, 0, 0])
        tuple.append(account.identifier.bytes)
        let context = tuple.bytes
        return try [UInt8](byteCount: ZoneKey.byteCount) { key throws(CipherError) in
            try wrap.withView { wrap throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try wrapper.open(wrap, context: context, into: key)
                }
            }
        }
    }

    private static func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
        secret.withView { $0.copied() }
    }

    /// Fields, each after its length.
    private struct Tuple {
        private(set) var bytes: [UInt8] = []

        init(_ label: String, _ place: Place) {
            append(Array(label.utf8))
            append(Array(place.container.utf8))
            append([place.environment.rawValue])
        }

        mutating func append(_ field: [UInt8]) {
            bytes.append(little: UInt32(field.count))
            bytes += field
        }
    }
}
