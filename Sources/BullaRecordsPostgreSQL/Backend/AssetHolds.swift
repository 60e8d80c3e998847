#if PostgreSQL
internal import BullaRecords

/// For each asset, by how much a transaction changes the number of records that hold it.
struct AssetHolds {
    private var differences: [RandomIdentifier: Int64] = [:]
    private var gained: Set<RandomIdentifier> = []
    private let database: Database

    /// - Parameter database: the one whose records change; only assets that were uploaded for it
    ///   can gain holders.
    init(for database: Database) { self.database = database }

    mutating func hold(_ assets: Set<RandomIdentifier>) {
        for asset in assets { differences[asset, default: 0] += 1 }
        gained.formUnion(assets)
    }

    mutating func letGo(_ assets: Set<RandomIdentifier>) {
        for asset in assets { differences[asset, default: 0] -= 1 }
    }

    /// Updates the numbers of holders, and frees assets that no record holds any more.
    ///
    /// - Returns: the missing assets: those that new records need, but that do not exist, or were
    ///   uploaded for another database. If any asset is missing, nothing has changed.
    func apply(over connection: Connection) throws(StatementFailure) -> Set<RandomIdentifier> {
        guard !differences.isEmpty else { return [] }
        let rows = try connection.run(
            AssetStatements.lockAssets, [.manyBytes(differences.keys.map(\.bytes))])
        var holders: [RandomIdentifier: Int64] = [:]
        var foreign: Set<RandomIdentifier> = []
        for row in 0..<rows.rowCount {
            let asset = try rows.identifier(row, 0)
            holders[asset] = try rows.integer(row, 1)
            if try !rows.isUpload(row, of: database) { foreign.insert(asset) }
        }
        let lost = gained.filter { holders[$0] == nil || foreign.contains($0) }
        guard lost.isEmpty else { return lost }
        var free: [[UInt8]] = []
        var kept: [(asset: [UInt8], difference: Int64)] = []
        for (asset, difference) in differences {
            guard let count = holders[asset] else { continue }
            if count + difference <= 0 {
                free.append(asset.bytes)
            } else if difference != 0 {
                kept.append((asset.bytes, difference))
            }
        }
        if !kept.isEmpty {
            _ = try connection.run(
                AssetStatements.holdAssets,
                [.manyBytes(kept.map(\.asset)), .manyIntegers(kept.map(\.difference))])
        }
        // An asset can have many chunks, and each statement has to end in time, so each deletes
        // only a few assets.
        for start in stride(from: 0, to: free.count, by: ZoneClearing.assetCount) {
            let piece = Array(free.dropFirst(start).prefix(ZoneClearing.assetCount))
            _ = try connection.run(AssetStatements.deleteChunks, [.manyBytes(piece)])
            _ = try connection.run(AssetStatements.deleteAssets, [.manyBytes(piece)])
        }
        return []
    }
}
#endif
