internal import BullaMemory

/// How the result of a query has changed.
struct RowChanges {
    typealias Object = (key: [UInt8], row: [UInt8])

    /// The last commit that these changes cover.
    let commit: UInt64
    var inserted: [Object] = []
    var updated: [Object] = []
    var removed: [[UInt8]] = []
    /// How many objects the result has.
    var resultCount = 0

    init(commit: UInt64) { self.commit = commit }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && removed.isEmpty }
}

/// The objects of a query's result: their keys, and a digest of each row to recognise changes.
///
/// The digest is a 64-bit hash that differs from process to process. One update in 2^64 goes
/// unnoticed.
struct KnownRows {
    private var digests: [[UInt8]: Int] = [:]
    /// The keys whose rows may have changed, in the order in which `touch` first got them, each
    /// with the former digest.
    private var touched: [(key: [UInt8], former: Int?)] = []
    private var latest: [[UInt8]: [UInt8]?] = [:]

    /// Records the row that a key has in the result; `row` is nil if the key is not in the result.
    mutating func touch(_ key: [UInt8], row: [UInt8]?) {
        if latest.updateValue(row, forKey: key) == nil { touched.append((key, digests[key])) }
    }

    /// Records a whole result: an object that `body` does not touch has left the result.
    mutating func touchAll<E: Error>(
        _ body: (_ touch: ([UInt8], [UInt8]) -> Void) throws(E) -> Void
    ) throws(E) {
        var (rows, found) = ([(key: [UInt8], row: [UInt8])](), Set<[UInt8]>())
        try body { key, row in
            rows.append((key, row))
            found.insert(key)
        }
        for (key, row) in rows { touch(key, row: row) }
        for key in Array(digests.keys) + Array(latest.keys) where !found.contains(key) {
            touch(key, row: nil)
        }
    }

    /// The changes to the result since the last call.
    mutating func changes(upTo commit: UInt64) -> RowChanges {
        var changes = RowChanges(commit: commit)
        for (key, former) in touched {
            guard let row = latest[key] ?? nil else {
                if former != nil { changes.removed.append(key) }
                digests[key] = nil
                continue
            }
            let digest = row.withView { $0.hashValue }
            if former == nil {
                changes.inserted.append((key, row))
            } else if former != digest {
                changes.updated.append((key, row))
            }
            digests[key] = digest
        }
        touched.removeAll(keepingCapacity: true)
        latest.removeAll(keepingCapacity: true)
        changes.resultCount = digests.count
        return changes
    }
}
