#if PostgreSQL
/// Statements over the records of a zone.
enum RecordStatements {
    static let records = Statement(
        "records",
        """
        SELECT name, version, type, deleted, content FROM bulla_records
        WHERE incarnation = $1 AND name = ANY($2)
        """)
    /// How many records a page of ``contents`` has.
    static let contentsCount = 200
    /// A page of a zone's records, by name.
    static let contents = Statement(
        "contents",
        """
        SELECT name, version, type, deleted, content FROM bulla_records
        WHERE incarnation = $1 AND deleted IS NULL AND name > $2
        ORDER BY name LIMIT \(contentsCount)
        """)
    /// What a change must know about the records that it replaces.
    static let formerRecords = Statement(
        "former records",
        """
        SELECT name, tag, type, assets, byte_count, version, digest FROM bulla_records
        WHERE incarnation = $1 AND name = ANY($2)
        """)
    /// Whole rows, for another site.
    static let movedRecords = Statement(
        "moved records",
        """
        SELECT name, version, type, tag, deleted, content, digest, assets, byte_count
        FROM bulla_records WHERE incarnation = $1 AND version > $2 ORDER BY version LIMIT $3
        """)
    static let movedPlaces = Statement(
        "moved places",
        "SELECT name, place FROM bulla_places WHERE incarnation = $1 AND name = ANY($2)")
    static let movedEdges = Statement(
        "moved edges",
        "SELECT name, action, target FROM bulla_edges WHERE incarnation = $1 AND name = ANY($2)")
    static let movedBatches = Statement(
        "moved batches",
        """
        SELECT identifier, first, time FROM bulla_batches WHERE incarnation = $1 AND first > $2
        ORDER BY first LIMIT $3
        """)
    static let takeBatches = Statement(
        "take batches",
        """
        INSERT INTO bulla_batches (incarnation, identifier, first, time)
        SELECT $1, new.* FROM unnest($2::BYTEA[], $3::BIGINT[], $4::BIGINT[]) AS new
        ON CONFLICT (incarnation, identifier) DO NOTHING
        """)
    static let putRecords = Statement(
        "put records",
        """
        INSERT INTO bulla_records
            (incarnation, name, version, type, tag, deleted, content, digest, assets, byte_count)
        SELECT $1, new.* FROM unnest(
            $2::BYTEA[], $3::BIGINT[], $4::BYTEA[], $5::BYTEA[], $6::BIGINT[], $7::BYTEA[],
            $8::BYTEA[], $9::BYTEA[], $10::BIGINT[]) AS new
        ON CONFLICT (incarnation, name) DO UPDATE SET
            version = excluded.version, type = excluded.type, tag = excluded.tag,
            deleted = excluded.deleted, content = excluded.content, digest = excluded.digest,
            assets = excluded.assets, byte_count = excluded.byte_count
        """)

    static let takePlaces = Statement(
        "take places", "DELETE FROM bulla_places WHERE incarnation = $1 AND name = ANY($2)")
    static let putPlaces = Statement(
        "put places",
        """
        INSERT INTO bulla_places (incarnation, place, name)
        SELECT $1, new.* FROM unnest($2::BYTEA[], $3::BYTEA[]) AS new
        """)
    static let takeEdges = Statement(
        "take edges", "DELETE FROM bulla_edges WHERE incarnation = $1 AND name = ANY($2)")
    /// The statements that delete records, their places in indexes, and their references.
    static let deleteRecords = [
        Statement(
            "delete some records",
            "DELETE FROM bulla_records WHERE incarnation = $1 AND name = ANY($2)"), takePlaces,
        takeEdges,
    ]
    /// A page of a zone's records, by name, with the assets that they hold.
    static let heldAssets = Statement(
        "held assets",
        """
        SELECT name, assets FROM bulla_records WHERE incarnation = $1 AND name > $2
        ORDER BY name LIMIT $3
        """)
    static let deleteBatches = Statement(
        "delete some batches",
        """
        DELETE FROM bulla_batches WHERE incarnation = $1 AND first > $2 AND first <= $3
        """)
    static let putEdges = Statement(
        "put edges",
        """
        INSERT INTO bulla_edges (incarnation, action, target, name)
        SELECT $1, new.* FROM unnest($2::BIGINT[], $3::BYTEA[], $4::BYTEA[]) AS new
        """)

    static let batch = Statement(
        "batch", "SELECT first FROM bulla_batches WHERE incarnation = $1 AND identifier = $2")
    static let putBatch = Statement(
        "put batch",
        """
        INSERT INTO bulla_batches (incarnation, identifier, first, time) VALUES ($1, $2, $3, $4)
        """)
    /// Deletes a few old batches at a time, so that no commit has to delete many.
    static let forgetBatches = Statement(
        "forget batches",
        """
        DELETE FROM bulla_batches WHERE incarnation = $1 AND time < $2 AND identifier IN (
            SELECT identifier FROM bulla_batches WHERE incarnation = $1 ORDER BY first LIMIT 4)
        """)

    /// A zone's head and changes in one statement, which sees one state of the database.
    ///
    /// For a zone without new changes, the result has one row, in which all columns of the change
    /// are null.
    static let changes = Statement(
        "changes",
        """
        SELECT zone.version, zone.forgotten, record.name, record.version, record.type,
            record.deleted, record.content
        FROM bulla_zones AS zone LEFT JOIN LATERAL (
            SELECT name, version, type, deleted, content FROM bulla_records
            WHERE incarnation = zone.incarnation AND version > $6 ORDER BY version LIMIT $7
        ) AS record ON TRUE
        WHERE zone.container = $1 AND zone.environment = $2 AND zone.owner = $3
            AND zone.name = $4 AND zone.incarnation = $5
        ORDER BY record.version
        """)
    static let scanUpwards = Statement(
        "scan upwards",
        """
        SELECT place, name FROM bulla_places
        WHERE incarnation = $1 AND place >= $2 AND place < $3 AND place > $4
        ORDER BY place, name LIMIT $5
        """)
    static let scanFirst = Statement(
        "scan first",
        """
        SELECT place, name FROM bulla_places
        WHERE incarnation = $1 AND place >= $2 AND place < $3 ORDER BY place, name LIMIT $4
        """)
    static let scanDownwards = Statement(
        "scan downwards",
        """
        SELECT place, name FROM bulla_places
        WHERE incarnation = $1 AND place >= $2 AND place < $3 AND place < $4
        ORDER BY place DESC, name DESC LIMIT $5
        """)
    static let referrers = Statement(
        "referrers",
        """
        SELECT name FROM bulla_edges WHERE incarnation = $1 AND action = $2 AND target = $3
        ORDER BY name LIMIT $4
        """)

    static let lastDeletion = Statement(
        "last deletion",
        """
        SELECT CAST(COALESCE(MAX(version), 0) AS BIGINT) FROM bulla_records
        WHERE incarnation = $1 AND deleted < $2
        """)
    static let forgetDeletions = Statement(
        "forget deletions", "DELETE FROM bulla_records WHERE incarnation = $1 AND deleted < $2")
}
#endif
