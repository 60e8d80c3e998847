#if PostgreSQL
/// Statements over zones and documents.
enum ZoneStatements {
    private static let head =
        """
        SELECT owner, name, incarnation, version, epoch, keys, seal, byte_count FROM bulla_zones
        """
    private static let isDatabase = "container = $1 AND environment = $2 AND owner = $3"

    static let zones = Statement("zones", "\(head) WHERE \(isDatabase) ORDER BY name")
    /// The heads, each with the row of its database's home, if there is one.
    static let zonesOfPlace = Statement(
        "zones of place",
        """
        SELECT zone.owner, zone.name, zone.incarnation, zone.version, zone.epoch, zone.keys,
            zone.seal, zone.byte_count, home.content
        FROM bulla_zones AS zone LEFT JOIN bulla_homes AS home
            ON home.container = zone.container AND home.environment = zone.environment
            AND home.owner = zone.owner
        WHERE zone.container = $1 AND zone.environment = $2
        """)
    static let zone = Statement("zone", "\(head) WHERE \(isDatabase) AND name = $4")
    static let zoneOfLife = Statement(
        "zone of life", "\(head) WHERE \(isDatabase) AND name = $4 AND incarnation = $5")
    static let lockZone = Statement("lock zone", "\(zoneOfLife.text) FOR UPDATE")

    static let createZone = Statement(
        "create zone",
        """
        INSERT INTO bulla_zones (container, environment, owner, name, incarnation, version, epoch,
            keys, seal, byte_count, forgotten)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0)
        ON CONFLICT (container, environment, owner, name) DO NOTHING
        """)
    static let rekeyZone = Statement(
        "rekey zone",
        """
        UPDATE bulla_zones SET version = $2, epoch = $3, keys = $4, seal = $5
        WHERE incarnation = $1
        """)
    static let advanceZone = Statement(
        "advance zone",
        """
        UPDATE bulla_zones SET version = $2, byte_count = $3, seal = $4 WHERE incarnation = $1
        """)
    static let forgetInZone = Statement(
        "forget in zone",
        """
        UPDATE bulla_zones SET forgotten = GREATEST(forgotten, $2) WHERE incarnation = $1
        """)

    static let forgottenInZone = Statement(
        "forgotten in zone", "SELECT forgotten FROM bulla_zones WHERE incarnation = $1")
    /// Replaces a zone's head with the head from another site.
    static let takeHead = Statement(
        "take head",
        """
        UPDATE bulla_zones SET version = $2, epoch = $3, keys = $4, seal = $5, byte_count = $6,
            forgotten = $7
        WHERE incarnation = $1
        """)
    /// Marks a zone as having more changes than any other copy of it can have.
    static let outdateZone = Statement(
        "outdate zone",
        "UPDATE bulla_zones SET version = \(Int64.max) WHERE incarnation = $1")
    static let lockZones = Statement(
        "lock zones",
        "SELECT incarnation FROM bulla_zones WHERE \(isDatabase) ORDER BY name FOR UPDATE")

    static let deleteZone = Statement(
        "delete zone", "DELETE FROM bulla_zones WHERE incarnation = $1")
    static let deleteRows = ["records", "places", "edges", "batches"].map { table in
        Statement("delete \(table)", "DELETE FROM bulla_\(table) WHERE incarnation = $1")
    }

    static let document = Statement(
        "document",
        """
        SELECT version, content FROM bulla_documents
        WHERE container = $1 AND environment = $2 AND name = $3
        """)
    /// Keeps a document's version as it is until the end of the transaction.
    static let holdDocument = Statement("hold document", "\(document.text) FOR SHARE")
    /// Adds a row of version 0 for a document that does not exist, because a missing row cannot be
    /// locked.
    static let promiseDocument = Statement(
        "promise document",
        """
        INSERT INTO bulla_documents (container, environment, name, version, content)
        VALUES ($1, $2, $3, 0, '') ON CONFLICT (container, environment, name) DO NOTHING
        """)
    /// Stores a document from another site with its version, unless this version or a later one is
    /// here already.
    static let takeDocument = Statement(
        "take document",
        """
        UPDATE bulla_documents SET version = $4, content = $5
        WHERE container = $1 AND environment = $2 AND name = $3 AND version < $4
        """)
    static let deleteDocuments = Statement(
        "delete documents",
        """
        DELETE FROM bulla_documents
        WHERE container = $1 AND environment = $2 AND name = ANY($3)
        """)
    static let replaceDocument = Statement(
        "replace document",
        """
        UPDATE bulla_documents SET version = version + 1, content = $5
        WHERE container = $1 AND environment = $2 AND name = $3 AND version = $4
        """)
}
#endif
