internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import BullaRecords

/// Records in an encrypted store of their own.
struct RecordLayerSide {
    private static let zone = "kept"
    private static let otherZone = "saved"

    let store: Store
    private let notes: RecordNotes

    var fields: RecordFieldForm { notes.fields }
    var view: DatabaseView { notes.view }

    init(_ fields: RecordFieldForm, recordCount: Int, in scratch: Scratch) throws {
        store = try Store.open(at: scratch.file("\(fields).bulla"), key: .random())
        let place = Place("iCloud.org.example.notes", .development)
        let core = try RecordCore(
            EmbeddedBackend(store), ContainerKeys(place, SecretBytes.random(byteCount: 32)),
            clock: { 1_795_435_200_000 })
        let keys = try AccountKeys(
            AccountIdentifier(.new()), in: place, epoch: 1,
            serviceKey: SecretBytes.random(byteCount: AccountKeys.serviceKeyByteCount))
        let view = try core.database(.private, .account(keys))
        notes = RecordNotes(fields: fields, view: view, recordCount: recordCount)
        try core.importSchema(RecordNotes.schema(fields))
        try view.createZone(Self.zone)
        try notes.save(in: Self.zone)
    }

    /// Nanoseconds of processor time per record.
    func time(_ work: RecordTask, _ order: [Int]) throws -> Double {
        if work == .save { try view.createZone(Self.otherZone) }
        var found = 0
        let time = try SealingRun.processorTime(of: notes.recordCount) {
            found =
                switch work {
                case .save: try notes.save(in: Self.otherZone)
                case .fetch: try notes.fetch(order, in: Self.zone)
                case .query: try notes.query(in: Self.zone)
                case .changes: try notes.follow(in: Self.zone)
                }
        }
        if work == .save { try view.deleteZone(Self.otherZone) }
        guard found == notes.recordCount else {
            throw BenchError(
                .digest, "\(work), \(fields.rawValue): \(found) of \(notes.recordCount)")
        }
        return time
    }
}
