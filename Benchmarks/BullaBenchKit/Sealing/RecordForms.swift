internal import Bulla
internal import BullaMemory
internal import BullaText

/// A record, the same in every form.
struct SealingRecord: Codable, Sendable {
    var name: String
    var place = "a place that is told in some thirty bytes"
    var amount: Int
    var note = ""
    /// The sealed note, if the form seals one field; `note` is then empty.
    var sealedNote: [UInt8]?

    /// Makes a record whose note is as long as needed for the encoded record to have `byteCount`
    /// bytes.
    init(_ number: Int, byteCount: Int) throws {
        name = "name of record " + Format.padLeft("\(number)", 8, "0")
        amount = 1_000_000 + number
        // The encoded length of a note of 24 to 255 bytes takes one byte more than that of an empty
        // note.
        let left = byteCount - (try EntityEncoder().encode(self).byteCount) - 1
        note = String(repeating: "n", count: left)
    }
}

/// Which parts of the records are sealed.
enum RecordForm: String, CaseIterable {
    case plain
    case pageSealed = "page-sealed"
    case entitySealed = "entity-sealed"
    case entityInPages = "entity-sealed in sealed pages"
    case fieldSealed = "field-sealed"

    var hasSealedPages: Bool { self == .pageSealed || self == .entityInPages }
    var hasSealedEntities: Bool { self == .entitySealed || self == .entityInPages }
}

enum RecordWork: String, CaseIterable {
    /// Saves all records as new ones, in the order of their keys, in one durable commit.
    case save
    /// Fetches each record by its key, without looking at its content.
    case fetch
    /// Fetches and decodes each record, and opens it if it is sealed.
    case open
    /// Lists all records in order, copying each for the caller, without looking at its content.
    case list
    /// Lists all records as in `list`, and keeps all of them in memory at once.
    case keep
}

/// The records in one form, in a store of their own.
final class RecordSide {
    private static let tree = "records"

    let form: RecordForm
    private let store: Store
    private let vault: Vault?
    private let records: [SealingRecord]
    private let keys: [[UInt8]]

    init(_ form: RecordForm, _ records: [SealingRecord], in scratch: Scratch) throws {
        (self.form, self.records) = (form, records)
        keys = records.indices.map { Array("key \(Format.padLeft("\($0)", 12, "0"))".utf8) }
        store = try Store.open(
            at: scratch.file("\(form).bulla"), key: form.hasSealedPages ? .random() : nil)
        let hasVault = form.hasSealedEntities || form == .fieldSealed
        vault = hasVault ? try store.createVault(named: "records", keys: [.random()]) : nil
        try save(in: Self.tree)
    }

    /// How many items the vault has opened.
    var openedCount: Int { vault?.statistics.openedCount ?? 0 }

    /// Nanoseconds of processor time per record.
    func time(_ work: RecordWork, _ order: [Int]) throws -> Double {
        var found = keys.count
        let name = work == .save ? "more records" : Self.tree
        let time = try SealingRun.processorTime(of: keys.count) {
            switch work {
            case .save: try save(in: name)
            case .list: found = try list()
            case .keep: found = try keep()
            case .fetch, .open: found = try visit(order, isOpening: work == .open)
            }
        }
        if work == .save { try store.write { _ = try $0.dropTree(named: name) } }
        guard found == keys.count else {
            throw BenchError(.digest, "\(work), \(form.rawValue): \(found) of \(keys.count)")
        }
        return time
    }

    private func collection(_ name: String) -> SealedCollection<SealingRecord>? {
        form.hasSealedEntities ? vault.map { SealedCollection(name, in: $0) } : nil
    }

    private func save(in name: String) throws {
        try store.write { transaction in
            let tree = try transaction.openOrCreateTree(named: name)
            let collection = collection(name)
            for (key, record) in zip(keys, records) {
                if let collection {
                    try collection.save(record, forKey: key, in: &transaction)
                } else {
                    let stored = try stored(record, SealedIdentity(tree: tree, key: key))
                    try EntityEncoder().encode(stored).withView { view in
                        try view.withSpan { value in
                            try key.withBytes { try transaction.put(value, forKey: $0, in: tree) }
                        }
                    }
                }
            }
        }
    }

    private func stored(
        _ record: SealingRecord, _ place: @autoclosure () -> SealedIdentity
    ) throws -> SealingRecord {
        guard let vault else { return record }
        var record = record
        (record.note, record.sealedNote) = ("", try vault.seal(record.note, for: place()))
        return record
    }

    /// Returns how many records were found or, if `isOpening`, how many notes could be opened.
    private func visit(_ order: [Int], isOpening: Bool) throws -> Int {
        let collection = collection(Self.tree)
        return try store.read { snapshot in
            let tree = try snapshot.tree(named: Self.tree)
            return try order.count { index in
                let key = keys[index]
                if let collection {
                    let sealed = try collection.fetch(key, in: snapshot)
                    return isOpening ? try sealed?.open().note != "" : sealed != nil
                }
                guard let value = try snapshot.value(forKey: key, in: tree) else { return false }
                guard isOpening else { return true }
                return try note(value, SealedIdentity(tree: tree, key: key)) != ""
            }
        }
    }

    private func note(
        _ value: [UInt8], _ place: @autoclosure () -> SealedIdentity
    ) throws -> String {
        let record = try value.withBytes {
            try EntityDecoder().decode(SealingRecord.self, from: $0)
        }
        guard let vault, let sealed = record.sealedNote else { return record.note }
        return try vault.open(sealed, for: place()) { String(decoding: $0) }
    }

    private func list() throws -> Int {
        var found = 0
        try store.read { snapshot in
            if let collection = collection(Self.tree) {
                try collection.forEach(in: snapshot) { sealed in
                    found += Self.count(sealed)
                    return .next
                }
            } else {
                try snapshot.scan(try snapshot.tree(named: Self.tree)) { key, value in
                    found += Self.count(([UInt8](copying: key), [UInt8](copying: value)))
                    return .next
                }
            }
        }
        return found
    }

    /// Returns 1; passing the value to this call forces the compiler to produce all of it.
    @inline(never) private static func count<Listed>(_ listed: Listed) -> Int { 1 }

    private func keep() throws -> Int {
        try store.read { snapshot in
            if let collection = collection(Self.tree) {
                var listed: [SealedEntity<SealingRecord>] = []
                listed.reserveCapacity(keys.count)
                try collection.forEach(in: snapshot) { sealed in
                    listed.append(sealed)
                    return .next
                }
                return listed.count
            }
            var listed: [(key: [UInt8], value: [UInt8])] = []
            listed.reserveCapacity(keys.count)
            try snapshot.scan(try snapshot.tree(named: Self.tree)) { key, value in
                listed.append(([UInt8](copying: key), [UInt8](copying: value)))
                return .next
            }
            return listed.count
        }
    }
}
