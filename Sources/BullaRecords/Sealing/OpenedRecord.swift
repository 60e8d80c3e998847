internal import BullaCipher
internal import BullaMemory

/// A record whose seal was opened, so that everything in it is what its writer sealed.
///
/// Each encrypted field is opened only when it is accessed, and anew at each access.
package final class OpenedRecord: Sendable {
    package let name: String
    package let record: SealedRecord
    /// The values of the plain fields.
    package let plain: [String: RecordValue]
    let site: RecordSite
    let key: RecordKey
    private let items: ItemCipher

    init(
        _ name: String, _ record: SealedRecord, plain: [String: RecordValue], _ site: RecordSite,
        _ key: RecordKey, _ items: ItemCipher
    ) {
        (self.name, self.record, self.plain) = (name, record, plain)
        (self.site, self.key, self.items) = (site, key, items)
    }

    /// The value of an encrypted field; `nil` if the record has no such field.
    ///
    /// - Throws: `damaged` if the field is not what was sealed; `unavailable` if no memory can be
    ///   locked.
    package func encryptedValue(_ name: String) throws(RecordError) -> RecordValue? {
        guard let field = record.field(name) else { return nil }
        let bytes: [UInt8]
        do throws(CipherError) { bytes = try cleartext(field) } catch {
            throw RecordError.cipher("open field \(name) of record \(self.name)", error)
        }
        guard let value = bytes.withView({ ValueCoding.value($0) }), value.kind == field.kind else {
            throw RecordError(
                .damaged, "open field \(name) of record \(self.name): its value is malformed")
        }
        return value
    }

    /// The cleartext of a field, as a copy that the caller can keep.
    func cleartext(_ field: SealedRecord.SealedField) throws(CipherError) -> [UInt8] {
        let count = field.blob.count - ItemCipher.extraByteCount
        guard count >= BlobPadding.step else { throw CipherError(.malformed) }
        var padded = try SecretBytes.zeroed(byteCount: count)
        try padded.withMutableView { padded throws(CipherError) in try open(field, into: padded) }
        return try padded.withView { padded throws(CipherError) in
            try FieldPadding.value(padded).copied()
        }
    }

    private func open(
        _ field: SealedRecord.SealedField, into padded: MutableByteView
    ) throws(CipherError) {
        let context = site.fieldContext + RecordSite.fieldContext(field.name, field.kind)
        try record.bytes.withView { bytes throws(CipherError) in
            let blob = bytes.slice(field.blob.lowerBound, field.blob.count)
            try context.withView { context throws(CipherError) in
                try key.withView { key throws(CipherError) in
                    try items.opening(under: key) { opener throws(CipherError) in
                        try opener.open(blob, context: [context], into: padded)
                    }
                }
            }
        }
    }
}

extension RecordSealer {
    /// Opens a stored record, and verifies that it is the complete record that was sealed for this
    /// place.
    ///
    /// - Throws: `damaged` if any bit of it was changed, if it was sealed for another place, or if
    ///   its epoch or its share is not this sealer's.
    package func open(_ record: SealedRecord, name: String) throws(RecordError) -> OpenedRecord {
        guard record.epoch == scope.epoch, record.share == scope.share else {
            throw RecordError(
                .damaged,
                "open record \(name): it is of another share, or of epoch \(record.epoch)")
        }
        let site = RecordSite(scope, record.type, name, record.incarnation)
        do throws(CipherError) {
            let (seal, body) = (record.seal, record.seal.lowerBound)
            let key = try record.bytes.withView { bytes throws(CipherError) in
                let wrap = bytes.slice(record.wrap.lowerBound, record.wrap.count)
                let key = try RecordKey.unwrap(wrap, wrapper, site.keyContext)
                try checkSeal(
                    bytes.slice(seal.lowerBound, seal.count), bytes.slice(0, body), key, site)
                return key
            }
            let plain = try container.openPlain(record, site)
            return OpenedRecord(name, record, plain: plain, site, key, items)
        } catch { throw RecordError.cipher("open record \(name)", error) }
    }

    private func checkSeal(
        _ seal: ByteView, _ body: ByteView, _ key: RecordKey, _ site: RecordSite
    ) throws(CipherError) {
        let context = site.sealContext
        try key.withView { key throws(CipherError) in
            try items.opening(under: key) { opener throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try opener.verify(seal, context: [context, body])
                }
            }
        }
    }
}

extension ContainerKeys {
    /// The values of a record's plain fields.
    ///
    /// A holder of the container's keys sealed them for this record at some time; only opening the
    /// whole record shows that they belong to this version.
    func plainValues(
        of record: SealedRecord, name: String, in scope: SealScope
    ) throws(RecordError) -> [String: RecordValue] {
        let site = RecordSite(scope, record.type, name, record.incarnation)
        do throws(CipherError) { return try openPlain(record, site) } catch {
            throw RecordError.cipher("read record \(name)", error)
        }
    }

    fileprivate func openPlain(
        _ record: SealedRecord, _ site: RecordSite
    ) throws(CipherError) -> [String: RecordValue] {
        guard !record.plain.isEmpty else { return [:] }
        return try record.bytes.withView { bytes throws(CipherError) in
            let blob = try SealedBlob(bytes.slice(record.plain.lowerBound, record.plain.count))
            let header = BlobHeader(vault: identifier, epoch: 1)
            var plaintext = try SecretBytes.zeroed(byteCount: blob.plaintextByteCount)
            var values: [String: RecordValue] = [:]
            try plaintext.withMutableView { plaintext throws(CipherError) in
                try site.plainContext.withView { place throws(CipherError) in
                    try header.withContext(for: place) { context throws(CipherError) in
                        values = try Self.values(
                            blob.open(in: context, with: plain, into: plaintext))
                    }
                }
            }
            return values
        }
    }

    private static func values(
        _ view: ByteView
    ) throws(CipherError) -> [String: RecordValue] {
        var cursor = ByteCursor(view)
        var values: [String: RecordValue] = [:]
        guard let count = cursor.next(UInt16.self) else { throw CipherError(.malformed) }
        for _ in 0..<count {
            guard let name = cursor.nextText(), let value = ValueCoding.next(&cursor) else {
                throw CipherError(.malformed)
            }
            values[name] = value
        }
        guard cursor.isAtEnd, values.count == Int(count) else { throw CipherError(.malformed) }
        return values
    }
}
