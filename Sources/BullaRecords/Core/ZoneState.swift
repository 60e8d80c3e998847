/// A life of a zone as its reader finds it, with its keys at hand.
struct ZoneState: Sendable {
    let head: StoredZone
    let life: ZoneLife
    private let keyring: ZoneKeyring?
    private let core: RecordCore
    private let keys: AccountKeys?

    /// A zone of a private database.
    init(_ head: StoredZone, _ core: RecordCore, _ keys: AccountKeys) throws(RecordError) {
        let keyring = try ZoneKeyring(head.keys, head.identifier, head.incarnation, core.container)
        guard !keyring.isReset, keyring.accountEpoch == keys.epoch else {
            throw RecordError(
                .encryptedDataReset,
                "use zone \(head.name): its owner's keys were reset; delete it and make it again")
        }
        (self.head, life, self.core, self.keys) = (head, ZoneLife(head), core, keys)
        self.keyring = keyring
    }

    /// A zone of the public database.
    init(public head: StoredZone, _ core: RecordCore) {
        (self.head, life, self.core) = (head, ZoneLife(head), core)
        (keyring, keys) = (nil, nil)
    }

    var identifier: ZoneIdentifier { head.identifier }

    /// Seals what is written now.
    func sealer() throws(RecordError) -> RecordSealer { try sealer(epoch: head.epoch) }

    private func sealer(epoch: UInt32) throws(RecordError) -> RecordSealer {
        guard let keyring, let keys else {
            return RecordSealer(publicZone: head.incarnation, core.container, core.items)
        }
        guard let wrap = keyring.wraps[epoch] else {
            throw RecordError(.damaged, "use zone \(head.name): it has no key of epoch \(epoch)")
        }
        let scope = SealScope(head.database, zone: head.incarnation, epoch: epoch)
        return RecordSealer(try keys.zoneKey(scope, wrap: wrap), core.container, core.items)
    }

    /// Opens what a backend gave under a name.
    func record(_ bytes: [UInt8], _ name: String) throws(RecordError) -> Record {
        guard let sealed = SealedRecord(bytes) else {
            throw RecordError(.damaged, "read record \(name): the stored bytes are none")
        }
        let opened = try sealer(epoch: sealed.epoch).open(sealed, name: name)
        return Record(RecordIdentifier(name, in: identifier), opened)
    }
}
