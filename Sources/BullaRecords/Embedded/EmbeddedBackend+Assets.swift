internal import Bulla
internal import BullaMemory

extension EmbeddedBackend {
    /// How many chunks a commit takes, if they are there, even while another writer waits.
    private static let awaitedChunkCount: UInt32 = 2

    package func put(
        from first: UInt32, of asset: RandomIdentifier, in database: Database, time: Int64,
        _ next: () -> [UInt8]?
    ) throws(RecordError) {
        // A relaxed commit suffices, because the commit that gives the asset to a record makes the
        // chunks durable, too.
        try write("keep chunks of an asset", durability: .relaxed(within: .seconds(1))) { change in
            try change.checkHome(of: database, claim, isChange: true)
            let row = try change.assetRow(asset)
            guard row?.holderCount ?? 0 == 0 else {
                throw RecordError(.invalidArguments, "keep chunks: a record holds the asset")
            }
            guard row != nil || first == 0 else {
                throw RecordError(.assetNotFound, "keep chunks: the earlier ones are gone")
            }
            guard row?.belongs(to: database) ?? true else {
                throw RecordError(.invalidArguments, "keep chunks: the asset is another account's")
            }
            // List the asset among the orphans under the time of its newest chunks, so that it is
            // not freed as an old orphan while its upload still sends chunks.
            let owner = EmbeddedKey.database(database)
            let listed = AssetRow(
                holderCount: 0, time: max(row?.time ?? time, time), database: owner)
            if row != listed {
                if let row {
                    try change.delete(EmbeddedKey.time(row.time, asset.bytes), in: .orphans)
                }
                try change.put(listed, asset)
                try change.put(owner, EmbeddedKey.time(listed.time, asset.bytes), in: .orphans)
            }
            var index = first
            while let chunk = next() {
                try change.putChunk(chunk, EmbeddedKey.chunk(index, asset))
                index &+= 1
                // A client can keep sending chunks, so the commit ends early for a waiting writer.
                // A single chunk is not worth a commit.
                if index &- first >= Self.awaitedChunkCount, change.isAwaited { break }
            }
        }
    }

    package func readChunk(
        _ index: UInt32, of asset: RandomIdentifier, in database: Database,
        into chunk: inout [UInt8]
    ) throws(RecordError) -> Bool {
        // This also finds chunks that are not durable yet. Only the uploader asks for such chunks:
        // others learn of the asset from a record, and the batch that gives the asset to the record
        // also makes the chunks durable.
        try read("read a chunk of an asset", .published) { snapshot in
            try snapshot.checkHome(of: database, claim)
            let key = EmbeddedKey.chunk(index, asset)
            guard let tree = try snapshot.tree(.chunks),
                let count = try snapshot.valueByteCount(forKey: key, in: tree)
            else { return false }
            guard count <= Self.rowByteLimit else {
                throw RecordError(.damaged, "read a chunk of an asset: it has \(count) bytes")
            }
            if chunk.count != count { chunk = [UInt8](repeating: 0, count: count) }
            _ = try snapshot.readValue(forKey: key, in: tree, at: 0, into: &chunk)
            return true
        }
    }

    package func freeOrphans(before time: Int64) throws(RecordError) -> Int {
        try write("free assets that no record holds") { change in
            var found: [(asset: RandomIdentifier, database: [UInt8])] = []
            try change.visit(.orphans, .from([], upTo: EmbeddedKey.time(time, []))) {
                key, database in
                guard let asset = RandomIdentifier(bytes: Array(key.dropFirst(8))) else {
                    throw RecordError(.damaged, "free assets: a row is malformed")
                }
                found.append((asset, database))
                return .next
            }
            // Keep the assets of a database that is being moved: its mover brings them before the
            // records that hold them.
            let orphans = try found.filter { try !change.isOnItsWay($0.database) }.map(\.asset)
            for asset in orphans {
                guard try change.assetRow(asset)?.holderCount == 0 else {
                    throw RecordError(.damaged, "free assets: a record holds one of them")
                }
                try change.free(asset)
            }
            return orphans.count
        }
    }
}

/// An asset's row: 4 bytes for how many records hold the asset, and 8 for when its newest chunk was
/// uploaded; then the key of the database for which it was uploaded, after the key's byte count.
///
/// Rows that earlier builds wrote end before the key; records of any database can hold such an
/// asset.
struct AssetRow: Equatable {
    var holderCount: UInt32
    let time: Int64
    /// The key of the only database whose records can hold the asset.
    let database: [UInt8]?

    init(holderCount: UInt32, time: Int64, database: [UInt8]?) {
        (self.holderCount, self.time, self.database) = (holderCount, time, database)
    }

    init(_ bytes: [UInt8]) throws(RecordError) {
        let row = bytes.withView { view -> AssetRow? in
            var cursor = ByteCursor(view)
            guard let count = cursor.next(UInt32.self), let time = cursor.next(Int64.self) else {
                return nil
            }
            guard !cursor.isAtEnd else {
                return AssetRow(holderCount: count, time: time, database: nil)
            }
            guard let database = cursor.nextCounted(), cursor.isAtEnd else { return nil }
            return AssetRow(holderCount: count, time: time, database: database.copied())
        }
        guard let row else { throw RecordError(.damaged, "read an asset: its row is malformed") }
        self = row
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: holderCount)
        bytes.append(number: time)
        if let database { bytes.append(counted: database) }
        return bytes
    }

    /// Whether records of a database can hold the asset.
    func belongs(to database: Database) -> Bool {
        self.database.map { $0 == EmbeddedKey.database(database) } ?? true
    }
}

extension TreeReader where Self: ~Copyable {
    /// Whether chunks of an asset are stored, and were not uploaded for another database.
    func has(_ asset: RandomIdentifier, for database: Database) throws -> Bool {
        try assetRow(asset)?.belongs(to: database) ?? false
    }

    /// Whether a database, given by its key, is arriving, or is leaving and can only be read.
    ///
    /// - Parameter database: its key; empty for an asset that an earlier build stored.
    fileprivate func isOnItsWay(_ database: [UInt8]) throws -> Bool {
        guard !database.isEmpty, let row = try value(database, in: .homes) else { return false }
        return try HomeRow(row).isOnItsWay
    }

    func assetRow(_ asset: RandomIdentifier) throws -> AssetRow? {
        try value(asset.bytes, in: .assets).map { try AssetRow($0) }
    }
}

extension WriteTransaction {
    /// Puts a chunk straight into pages of its own, unless it is short.
    ///
    /// If the chunk went into the log, it would be written twice, and would take memory until the
    /// next checkpoint; on a busy machine, most of an asset would be in memory.
    fileprivate mutating func putChunk(_ chunk: [UInt8], _ key: [UInt8]) throws {
        let name = EmbeddedBackend.TreeName.chunks
        try name.check(chunk)
        let tree = try openOrCreateTree(named: name.rawValue)
        try putStream(forKey: key, in: tree) { write throws(BullaError) in
            try chunk.withBytes { chunk throws(BullaError) in try write(chunk) }
        }
    }

    fileprivate mutating func put(_ row: AssetRow, _ asset: RandomIdentifier) throws(BullaError) {
        try put(row.bytes, asset.bytes, in: .assets)
    }

    /// Counts one more record that holds an asset.
    mutating func hold(_ asset: RandomIdentifier) throws {
        guard var row = try assetRow(asset) else {
            throw RecordError(.damaged, "save a record: one of its assets has no row")
        }
        if row.holderCount == 0 {
            try delete(EmbeddedKey.time(row.time, asset.bytes), in: .orphans)
        }
        guard row.holderCount < .max else {
            throw RecordError(.damaged, "save a record: too many records hold one of its assets")
        }
        row.holderCount += 1
        try put(row, asset)
    }

    /// Counts one record fewer, and frees the asset if no record is left that holds it.
    mutating func letGo(_ asset: RandomIdentifier) throws {
        guard var row = try assetRow(asset) else { return }
        guard row.holderCount > 1 else { return try free(asset) }
        row.holderCount -= 1
        try put(row, asset)
    }

    mutating func free(_ asset: RandomIdentifier) throws {
        if let row = try assetRow(asset) {
            try delete(EmbeddedKey.time(row.time, asset.bytes), in: .orphans)
        }
        try delete(asset.bytes, in: .assets)
        try deleteAll(beginningWith: asset.bytes, in: .chunks)
    }

    /// Releases all assets that a zone's records hold.
    mutating func dropAssets(of zone: ZoneLife) throws {
        var held: [RandomIdentifier] = []
        try visit(.records, .prefix(zone.incarnation.bytes)) { key, bytes in
            let name = try EmbeddedKey.name(key.dropFirst(RandomIdentifier.byteCount))
            held += try RecordRow(bytes, name).entry?.assets ?? []
            return .next
        }
        for asset in held { try letGo(asset) }
    }
}
