internal import BullaCipher
internal import BullaMemory

/// The bytes of a record that is being sealed: see ``SealedRecord``.
struct RecordForm {
    private(set) var bytes: [UInt8] = []

    init(_ draft: RecordDraft, in scope: SealScope, _ key: RecordKey) {
        bytes.reserveCapacity(1024)
        bytes.append(SealedRecord.version)
        bytes.append(
            (draft.parent == nil ? 0 : SealedRecord.Flag.parent)
                | (scope.share == nil ? 0 : SealedRecord.Flag.share)
                | (draft.formerTag == nil ? 0 : SealedRecord.Flag.formerTag)
                | (draft.traces.isEmpty ? 0 : SealedRecord.Flag.traces))
        bytes += draft.incarnation.bytes
        bytes.append(number: scope.epoch)
        bytes += draft.tag.bytes
        bytes += draft.formerTag?.bytes ?? []
        bytes.append(number: draft.schemaVersion)
        bytes.append(text: draft.type)
        bytes.append(draft.stamps.created)
        bytes.append(draft.stamps.modified)
        if let parent = draft.parent { ValueCoding.append(parent, to: &bytes) }
        if let share = scope.share { bytes += share.bytes }
        if !draft.traces.isEmpty { bytes.append(draft.traces) }
        bytes += key.wrap
    }

    mutating func append(plain blob: [UInt8]) { bytes.append(counted: blob) }

    /// Appends the encrypted fields: copies those whose value and key both stay the same, and seals
    /// the rest.
    mutating func append(
        _ names: [String], of draft: RecordDraft, _ site: RecordSite, _ sealer: ItemSealer,
        _ former: OpenedRecord?, _ reused: OpenedRecord?
    ) throws(CipherError) {
        bytes.append(number: UInt16(names.count))
        let context = names.isEmpty ? [] : site.fieldContext
        for name in names {
            bytes.append(text: name)
            switch draft.fields[name] {
            case .encrypted(let value), .plain(let value):
                let cleartext = ValueCoding.bytes(value)
                bytes.append(value.kind.tag)
                try append(cleartext, context, name, value.kind, sealer)
            default:
                guard let former, let field = former.record.field(name) else {
                    throw CipherError(.malformed)
                }
                bytes.append(field.kind.tag)
                if reused != nil {
                    bytes.append(counted: former.record.bytes[field.blob])
                } else {
                    // The record gets a new key, so the field is sealed again.
                    let value = try former.cleartext(field)
                    try append(value, context, name, field.kind, sealer)
                }
            }
        }
    }

    private mutating func append(
        _ cleartext: [UInt8], _ context: [UInt8], _ name: String, _ kind: FieldKind,
        _ sealer: ItemSealer
    ) throws(CipherError) {
        let padded = FieldPadding.padded(cleartext)
        let end = RecordSite.fieldContext(name, kind)
        bytes.append(number: UInt32(padded.count + ItemCipher.extraByteCount))
        let blob = try padded.withView { padded throws(CipherError) in
            try context.withView { context throws(CipherError) in
                try end.withView { end throws(CipherError) in
                    try [UInt8](
                        byteCount: padded.byteCount + ItemCipher.extraByteCount
                    ) { blob throws(CipherError) in
                        try sealer.seal(padded, context: [context, end], into: blob)
                    }
                }
            }
        }
        bytes += blob
    }

    /// Seals the record as a whole, so that a reader notices if a part was removed, added, or
    /// replaced by an earlier version of the same part.
    mutating func close(_ site: RecordSite, _ sealer: ItemSealer) throws(CipherError) {
        let context = site.sealContext
        let seal = try bytes.withView { bytes throws(CipherError) in
            try context.withView { context throws(CipherError) in
                try [UInt8](byteCount: ItemCipher.extraByteCount) { seal throws(CipherError) in
                    try sealer.seal(emptyView, context: [context, bytes], into: seal)
                }
            }
        }
        bytes += seal
    }
}

extension SealedRecord {
    /// The encrypted field with a name.
    func field(_ name: String) -> SealedField? { fields.first { $0.name == name } }
}
