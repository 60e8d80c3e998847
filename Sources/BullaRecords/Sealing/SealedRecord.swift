internal import BullaMemory

/// A record as it is stored, with everything that is readable without a key.
///
///     bytes  field
///         1  version: 1
///         1  flags: 1 a parent, 2 a share, 4 a former tag, 8 traces of shares
///        16  incarnation of the record
///         4  epoch of the key that wraps the record key: the share's key, or else the zone's
///        12  change tag
///        12  former change tag, if there is one
///         8  version of the schema
///         n  type
///         n  created: time 8, account 1 + 16, device
///         n  modified: likewise
///         n  parent, if there is one
///        16  share, if the record belongs to a share of one record and those below it
///         n  a ``ShareTrace`` for each share that the record has left, if there are any: count 4,
///            then for each: share 16, change 8, type; an empty type stands for the record's own
///        72  record key, wrapped
///         n  plain values: a blob, or none
///         2  how many fields are encrypted
///         n  for each of them: name, kind 1, blob
///        28  seal of all the above, and of the record's place, under the record key
///
/// Each text and blob comes after its byte count of 32 bits. Fields are sorted by the bytes of
/// their names. Nothing in the record is trusted before its seal is opened.
package struct SealedRecord: Sendable {
    static let version: UInt8 = 1

    package let bytes: [UInt8]
    package let type: String
    package let incarnation: RandomIdentifier
    package let epoch: UInt32
    package let tag: ChangeTag
    package let formerTag: ChangeTag?
    package let schemaVersion: UInt64
    package let stamps: RecordStamps
    package let parent: RecordIdentifier?
    /// The share to which this record belongs; `nil` if there is none.
    ///
    /// It is a share of one record and those below it, never of a whole zone. The share's key wraps
    /// the record's key.
    package let share: RandomIdentifier?
    /// The shares to which the record no longer belongs.
    package let traces: [ShareTrace]
    let wrap: Range<Int>
    let plain: Range<Int>
    let fields: [SealedField]
    let seal: Range<Int>

    /// The position of an encrypted field.
    struct SealedField: Sendable {
        let name: String
        let kind: FieldKind
        let blob: Range<Int>
    }

    enum Flag {
        static let parent: UInt8 = 1
        static let share: UInt8 = 2
        static let formerTag: UInt8 = 4
        static let traces: UInt8 = 8
    }

    static let sealByteCount = 28

    /// Parses a record; `nil` if the bytes are not one.
    package init?(_ bytes: [UInt8]) {
        guard let parsed = bytes.withView({ SealedRecord($0, bytes) }) else { return nil }
        self = parsed
    }

    private init?(_ view: ByteView, _ bytes: [UInt8]) {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == Self.version, let flags = cursor.next(UInt8.self),
            flags <= 15, let incarnation = cursor.nextIdentifier(),
            let epoch = cursor.next(UInt32.self), let tag = cursor.nextTag()
        else { return nil }
        formerTag = flags & Flag.formerTag != 0 ? cursor.nextTag() : nil
        guard let schemaVersion = cursor.next(UInt64.self), let type = cursor.nextText(),
            let created = cursor.nextStamp(), let modified = cursor.nextStamp()
        else { return nil }
        parent = flags & Flag.parent != 0 ? ValueCoding.record(&cursor) : nil
        share = flags & Flag.share != 0 ? cursor.nextIdentifier() : nil
        guard let traces = flags & Flag.traces != 0 ? cursor.nextTraces() : [] else { return nil }
        guard (flags & Flag.formerTag != 0) == (formerTag != nil),
            (flags & Flag.parent != 0) == (parent != nil),
            (flags & Flag.share != 0) == (share != nil),
            (flags & Flag.traces != 0) == !traces.isEmpty,
            let wrap = cursor.nextRange(RecordKey.wrappedByteCount),
            let plain = cursor.nextCountedRange(), let fields = Self.fields(&cursor),
            let seal = cursor.nextRange(Self.sealByteCount), cursor.isAtEnd
        else { return nil }
        (self.bytes, self.traces) = (bytes, traces)
        (self.type, self.incarnation, self.epoch) = (type, incarnation, epoch)
        (self.tag, self.schemaVersion) = (tag, schemaVersion)
        stamps = RecordStamps(created: created, modified: modified)
        (self.wrap, self.plain, self.fields, self.seal) = (wrap, plain, fields, seal)
    }

    private static func fields(_ cursor: inout ByteCursor) -> [SealedField]? {
        guard let count = cursor.next(UInt16.self) else { return nil }
        var fields: [SealedField] = []
        for _ in 0..<count {
            guard let name = cursor.nextText(),
                let kind = cursor.next(UInt8.self).flatMap({ FieldKind(tag: $0) }),
                let blob = cursor.nextCountedRange()
            else { return nil }
            fields.append(SealedField(name: name, kind: kind, blob: blob))
        }
        return fields
    }

    /// The range of an encrypted field's bytes, for tests that look at what is stored.
    package func blobRange(of name: String) -> Range<Int>? {
        fields.first { $0.name == name }?.blob
    }

    /// The names and kinds of the encrypted fields.
    package var encryptedFields: [(name: String, kind: FieldKind)] {
        fields.map { ($0.name, $0.kind) }
    }
}

extension ByteCursor {
    mutating func nextTag() -> ChangeTag? {
        nextView(ChangeTag.byteCount).flatMap { ChangeTag(bytes: $0.copied()) }
    }

    fileprivate mutating func nextRange(_ count: Int) -> Range<Int>? {
        let start = offset
        return nextView(count).map { _ in start..<start + count }
    }

    fileprivate mutating func nextCountedRange() -> Range<Int>? {
        next(UInt32.self).flatMap { nextRange(Int($0)) }
    }

    mutating func nextStamp() -> RecordStamps.Stamp? {
        guard let time = next(Int64.self), let hasAccount = next(UInt8.self), hasAccount <= 1 else {
            return nil
        }
        let account = hasAccount == 1 ? nextIdentifier() : nil
        guard (hasAccount == 1) == (account != nil), let device = nextText() else { return nil }
        return RecordStamps.Stamp(
            time: time, account: account.map { AccountIdentifier($0) }, device: device)
    }
}

extension [UInt8] {
    mutating func append(_ stamp: RecordStamps.Stamp) {
        append(number: stamp.time)
        append(stamp.account == nil ? 0 : 1)
        if let account = stamp.account { self += account.identifier.bytes }
        append(text: stamp.device)
    }
}
