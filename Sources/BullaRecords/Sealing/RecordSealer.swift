package import BullaCipher
internal import BullaMemory

/// Seals and opens records of one zone in one epoch: those under the zone's own key, or those of
/// one share.
///
/// Any number of threads may use one sealer.
package struct RecordSealer: Sendable {
    let scope: SealScope
    let wrapper: VaultCipher
    let container: ContainerKeys
    let items: ItemCipher

    /// A sealer for a zone in a private database, or for a share in it.
    package init(_ key: ZoneKey, _ container: ContainerKeys, _ items: ItemCipher) {
        precondition(key.scope.database.place == container.place, "both are of one place")
        (scope, wrapper) = (key.scope, key.records)
        (self.container, self.items) = (container, items)
    }

    /// A sealer for a zone in the public database, where no field is encrypted.
    package init(
        publicZone zone: RandomIdentifier, _ container: ContainerKeys, _ items: ItemCipher
    ) {
        scope = SealScope(Database(container.place, owner: nil), zone: zone, epoch: 0)
        wrapper = container.publicRecords
        (self.container, self.items) = (container, items)
    }

    /// Seals a record, and returns what opening the sealed record would return.
    ///
    /// - Parameters:
    ///   - draft: the record.
    ///   - former: the opened version that the draft replaces; the kept fields are taken from it.
    /// - Throws: `invalidArguments` for a value that cannot be encrypted; `damaged` if a field to
    ///   keep does not exist.
    package func seal(
        _ draft: RecordDraft, over former: OpenedRecord? = nil
    ) throws(RecordError) -> OpenedRecord {
        try check(draft)
        do throws(CipherError) {
            let place = RecordSite(scope, draft.type, draft.name, draft.incarnation)
            // A record gets another key in each epoch, share and life, and its site contains all
            // three. So reuse the former version's key only if that version has the same site.
            let reused = former.flatMap { $0.site == place ? $0 : nil }
            let key =
                if let reused { reused.key } else {
                    try RecordKey.random(wrapper, place.keyContext)
                }
            var form = RecordForm(draft, in: scope, key)
            form.append(plain: try sealPlain(draft, place))
            try key.withView { key throws(CipherError) in
                try items.sealing(under: key) { sealer throws(CipherError) in
                    let names = draft.names { !isPlain($0) }
                    try form.append(names, of: draft, place, sealer, former, reused)
                    try form.close(place, sealer)
                }
            }
            guard let sealed = SealedRecord(form.bytes) else {
                preconditionFailure("what is sealed is a record")
            }
            let plain = draft.fields.compactMapValues { isPlain($0) ? $0.value : nil }
            return OpenedRecord(draft.name, sealed, plain: plain, place, key, items)
        } catch { throw RecordError.cipher("seal record \(draft.name)", error) }
    }

    private func check(_ draft: RecordDraft) throws(RecordError) {
        for (name, field) in draft.fields {
            guard case .encrypted(let value) = field else { continue }
            if let why = refusal(of: value.kind.element) {
                throw RecordError(.invalidArguments, "encrypt field \(name): \(why)")
            }
        }
    }

    /// Why a value of a kind cannot be encrypted here; `nil` if it can.
    private func refusal(of kind: ValueKind) -> String? {
        guard scope.database.owner != nil else {
            return "the public database has no encrypted fields, because everybody reads it"
        }
        return switch kind {
        case .reference: "a reference cannot be encrypted, since the store follows it"
        case .asset: "an asset cannot be an encrypted value: its bytes are encrypted separately"
        default: nil
        }
    }

    /// Whether a field is stored among the plain values, which the container's key seals.
    ///
    /// An asset's descriptor contains the asset's key. So in a private database, the descriptor is
    /// sealed like an encrypted field, under a key that a holder of only the container's keys does
    /// not have.
    func isPlain(_ field: RecordField) -> Bool {
        guard case .plain(let value) = field else { return false }
        return scope.database.isPublic || value.kind.element != .asset
    }

    private func sealPlain(
        _ draft: RecordDraft, _ place: RecordSite
    ) throws(CipherError) -> [UInt8] {
        let names = draft.names { isPlain($0) }
        guard !names.isEmpty else { return [] }
        var values: [UInt8] = []
        values.append(number: UInt16(names.count))
        for name in names {
            guard let value = draft.fields[name]?.value else { continue }
            values.append(text: name)
            ValueCoding.append(value, to: &values)
        }
        let count = SealedBlob.sealedByteCount(cleartextByteCount: values.count)
        let header = BlobHeader(vault: container.identifier, epoch: 1)
        return try values.withView { values throws(CipherError) in
            try place.plainContext.withView { place throws(CipherError) in
                try [UInt8](byteCount: count) { blob throws(CipherError) in
                    try header.withContext(for: place) { context throws(CipherError) in
                        try SealedBlob.seal(values, in: context, with: container.plain, into: blob)
                    }
                }
            }
        }
    }
}
