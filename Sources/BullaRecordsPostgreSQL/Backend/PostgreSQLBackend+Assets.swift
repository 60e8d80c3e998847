#if PostgreSQL
package import BullaRecords

extension PostgreSQLBackend {
    /// The maximum number of chunks that one transaction writes.
    private static let chunkCount = 8

    package func put(
        from first: UInt32, of asset: RandomIdentifier, in database: Database, time: Int64,
        _ next: () -> [UInt8]?
    ) throws(RecordError) {
        let attempt = "keep chunks of an asset"
        var chunks: [[UInt8]] = []
        while chunks.count < Self.chunkCount, let chunk = next() { chunks.append(chunk) }
        let numbers = chunks.indices.map { Int64(first) + Int64($0) }
        try change(attempt, isRepeatable: true) { connection throws(StatementFailure) in
            try connection.holdHome(of: database, claim)
            let rows = try connection.run(AssetStatements.lockAssets, [.manyBytes([asset.bytes])])
            let holders = try rows.rowCount == 0 ? nil : rows.integer(0, 1)
            guard holders ?? 0 == 0 else {
                throw .stopped(
                    RecordError(.invalidArguments, "\(attempt): the asset is a record's"))
            }
            guard holders != nil || first == 0 else {
                throw .stopped(
                    RecordError(.assetNotFound, "\(attempt): those before them are gone"))
            }
            if holders != nil, try !rows.isUpload(0, of: database) {
                throw .stopped(
                    RecordError(.invalidArguments, "\(attempt): the asset is another account's"))
            }
            _ = try connection.run(
                AssetStatements.putAsset,
                [.bytes(asset.bytes), .integer(time), .bytes(database.key)])
            _ = try connection.run(
                AssetStatements.putChunks,
                [.bytes(asset.bytes), .manyIntegers(numbers), .manyBytes(chunks)])
        }
    }

    package func readChunk(
        _ index: UInt32, of asset: RandomIdentifier, in database: Database,
        into chunk: inout [UInt8]
    ) throws(RecordError) -> Bool {
        let found = try read("read a chunk of an asset", of: database) {
            connection throws(StatementFailure) in
            let rows = try connection.run(
                AssetStatements.chunk, [.bytes(asset.bytes), .integer(Int64(index))])
            return try rows.rowCount == 0 ? nil : rows.bytes(0, 0)
        }
        guard let found else { return false }
        chunk = found
        return true
    }

    package func freeOrphans(before time: Int64) throws(RecordError) -> Int {
        try change("free assets that no record holds", isRepeatable: false) {
            connection throws(StatementFailure) in
            let rows = try connection.run(AssetStatements.orphans, [.integer(time)])
            // Assets that a mover has brought are not orphans: the records that hold them arrive
            // later.
            let onTheirWay = try connection.databasesOnTheirWay()
            var orphans: [[UInt8]] = []
            for row in 0..<rows.rowCount {
                let uploader = try rows.isNull(row, 1) ? [] : rows.bytes(row, 1)
                if !onTheirWay.contains(uploader) { orphans.append(try rows.bytes(row, 0)) }
            }
            guard !orphans.isEmpty else { return 0 }
            _ = try connection.run(AssetStatements.deleteChunks, [.manyBytes(orphans)])
            _ = try connection.run(AssetStatements.deleteAssets, [.manyBytes(orphans)])
            return orphans.count
        }
    }
}
#endif
