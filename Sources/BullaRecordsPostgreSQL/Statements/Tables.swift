#if PostgreSQL
/// The tables of a database.
///
/// Texts are stored as bytes, which sort as `RecordBackend` demands, whatever the database's
/// collation. The definition uses only types and clauses that PostgreSQL 15, CockroachDB and
/// YugabyteDB share.
///
///     store       format and timeline
///     zones       a row for each zone: its head, which every change of the zone locks first
///     records     a row for each record, and for each deletion that is not forgotten
///     places      the records' places in indexes
///     edges       the records' references
///     batches     the batches of the last day, for callers that lost a reply
///     documents   one row for each document; the schema's row exists from the first zone on
///     assets      a row for each asset: its holder count, and the database it was uploaded for
///     chunks      the sealed bytes of assets
///     homes       a row for each account, or public database, that has or had its home here
///     activity    counters that rise with changes, for callers that wait for a change
enum Tables {
    /// The format of the tables.
    static let format: UInt8 = 3
    /// The former format: ``completion`` and then ``definition`` add what its tables lack.
    static let formerFormat: UInt8 = 2
    /// The maximum number of rows that `activity` can have.
    ///
    /// Each backend counts its changes in only one of these rows, so that commits of different
    /// backends rarely wait for the same row.
    static let slotCount: Int64 = 256

    /// Adds what tables of the former format lack, and drops what is no longer used.
    static let completion = """
        ALTER TABLE bulla_assets ADD COLUMN IF NOT EXISTS uploader BYTEA;
        DROP INDEX IF EXISTS bulla_batch_times;
        """
    /// Creates what is missing.
    static let definition = """
        CREATE TABLE IF NOT EXISTS bulla_store (
            name BYTEA PRIMARY KEY, value BYTEA NOT NULL);
        CREATE TABLE IF NOT EXISTS bulla_zones (
            container BYTEA NOT NULL, environment BIGINT NOT NULL, owner BYTEA NOT NULL,
            name BYTEA NOT NULL, incarnation BYTEA NOT NULL UNIQUE, version BIGINT NOT NULL,
            epoch BIGINT NOT NULL, keys BYTEA NOT NULL, seal BYTEA NOT NULL,
            byte_count BIGINT NOT NULL, forgotten BIGINT NOT NULL,
            PRIMARY KEY (container, environment, owner, name));
        CREATE TABLE IF NOT EXISTS bulla_records (
            incarnation BYTEA NOT NULL, name BYTEA NOT NULL, version BIGINT NOT NULL,
            type BYTEA NOT NULL, tag BYTEA, deleted BIGINT, content BYTEA, digest BYTEA,
            assets BYTEA NOT NULL, byte_count BIGINT NOT NULL, PRIMARY KEY (incarnation, name));
        CREATE UNIQUE INDEX IF NOT EXISTS bulla_feed ON bulla_records (incarnation, version);
        CREATE INDEX IF NOT EXISTS bulla_deletions ON bulla_records (incarnation, deleted)
            WHERE deleted IS NOT NULL;
        CREATE TABLE IF NOT EXISTS bulla_places (
            incarnation BYTEA NOT NULL, place BYTEA NOT NULL, name BYTEA NOT NULL,
            PRIMARY KEY (incarnation, place, name));
        CREATE INDEX IF NOT EXISTS bulla_places_of ON bulla_places (incarnation, name);
        CREATE TABLE IF NOT EXISTS bulla_edges (
            incarnation BYTEA NOT NULL, action BIGINT NOT NULL, target BYTEA NOT NULL,
            name BYTEA NOT NULL, PRIMARY KEY (incarnation, action, target, name));
        CREATE INDEX IF NOT EXISTS bulla_edges_of ON bulla_edges (incarnation, name);
        CREATE TABLE IF NOT EXISTS bulla_batches (
            incarnation BYTEA NOT NULL, identifier BYTEA NOT NULL, first BIGINT NOT NULL,
            time BIGINT NOT NULL, PRIMARY KEY (incarnation, identifier));
        CREATE INDEX IF NOT EXISTS bulla_batch_feed ON bulla_batches (incarnation, first);
        CREATE TABLE IF NOT EXISTS bulla_documents (
            container BYTEA NOT NULL, environment BIGINT NOT NULL, name BYTEA NOT NULL,
            version BIGINT NOT NULL, content BYTEA NOT NULL,
            PRIMARY KEY (container, environment, name));
        CREATE TABLE IF NOT EXISTS bulla_assets (
            asset BYTEA PRIMARY KEY, holders BIGINT NOT NULL, time BIGINT NOT NULL,
            uploader BYTEA);
        CREATE INDEX IF NOT EXISTS bulla_orphans ON bulla_assets (time) WHERE holders = 0;
        CREATE TABLE IF NOT EXISTS bulla_chunks (
            asset BYTEA NOT NULL, number BIGINT NOT NULL, content BYTEA NOT NULL,
            PRIMARY KEY (asset, number));
        CREATE INDEX IF NOT EXISTS bulla_uploads ON bulla_assets (uploader) WHERE holders = 0;
        CREATE TABLE IF NOT EXISTS bulla_homes (
            container BYTEA NOT NULL, environment BIGINT NOT NULL, owner BYTEA NOT NULL,
            content BYTEA NOT NULL, PRIMARY KEY (container, environment, owner));
        CREATE TABLE IF NOT EXISTS bulla_activity (
            slot BIGINT PRIMARY KEY, changes BIGINT NOT NULL);
        """
}
#endif
