#if PostgreSQL
/// Statements over assets.
///
/// Rows are locked in the order of their identifiers, so that two batches never deadlock.
enum AssetStatements {
    static let lockAssets = Statement(
        "lock assets",
        """
        SELECT asset, holders, uploader FROM bulla_assets WHERE asset = ANY($1)
        ORDER BY asset FOR UPDATE
        """)
    static let holdAssets = Statement(
        "hold assets",
        """
        UPDATE bulla_assets SET holders = bulla_assets.holders + new.difference
        FROM unnest($1::BYTEA[], $2::BIGINT[]) AS new (asset, difference)
        WHERE bulla_assets.asset = new.asset
        """)
    static let putAsset = Statement(
        "put asset",
        """
        INSERT INTO bulla_assets (asset, holders, time, uploader) VALUES ($1, 0, $2, $3)
        ON CONFLICT (asset) DO UPDATE SET time = GREATEST(bulla_assets.time, excluded.time),
            uploader = COALESCE(bulla_assets.uploader, excluded.uploader)
        """)
    static let putChunks = Statement(
        "put chunks",
        """
        INSERT INTO bulla_chunks (asset, number, content)
        SELECT $1, new.* FROM unnest($2::BIGINT[], $3::BYTEA[]) AS new
        ON CONFLICT (asset, number) DO UPDATE SET content = excluded.content
        """)
    static let chunk = Statement(
        "chunk", "SELECT content FROM bulla_chunks WHERE asset = $1 AND number = $2")
    static let orphans = Statement(
        "orphans",
        """
        SELECT asset, uploader FROM bulla_assets WHERE holders = 0 AND time < $1
        ORDER BY asset FOR UPDATE
        """)
    static let deleteAssets = Statement(
        "delete assets", "DELETE FROM bulla_assets WHERE asset = ANY($1)")
    static let deleteChunks = Statement(
        "delete chunks", "DELETE FROM bulla_chunks WHERE asset = ANY($1)")
    static let assetsOfRecord = Statement(
        "assets of record",
        """
        SELECT assets FROM bulla_records
        WHERE incarnation = $1 AND name = ANY($2) AND deleted IS NULL
        """)
    static let uploads = Statement(
        "uploads",
        "SELECT asset, time FROM bulla_assets WHERE uploader = $1 AND holders = 0 ORDER BY asset")
    static let lockUploads = Statement("lock uploads", "\(uploads.text) LIMIT $2 FOR UPDATE")
    static let holders = Statement(
        "holders", "SELECT asset, holders, uploader FROM bulla_assets WHERE asset = $1")
}
#endif
