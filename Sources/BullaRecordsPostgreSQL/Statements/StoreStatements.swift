#if PostgreSQL
/// Statements over the database as a whole.
enum StoreStatements {
    static let storeTables = Statement(
        "store tables",
        """
        SELECT table_name FROM information_schema.tables
        WHERE table_schema = CURRENT_SCHEMA() AND table_name = 'bulla_store'
        """)
    static let keepSetting = Statement(
        "keep setting",
        "INSERT INTO bulla_store (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
    static let upgradeSetting = Statement(
        "upgrade setting", "UPDATE bulla_store SET value = $2 WHERE name = $1 AND value = $3")
    static let changeSetting = Statement(
        "change setting", "UPDATE bulla_store SET value = $2 WHERE name = $1")
    static let setting = Statement("setting", "SELECT value FROM bulla_store WHERE name = $1")

    /// A server that is not PostgreSQL may lack a setting, and then returns a null for it.
    static let safety = Statement(
        "safety",
        "SELECT current_setting('fsync', TRUE), current_setting('synchronous_commit', TRUE)")

    static let countChange = Statement(
        "count change",
        """
        INSERT INTO bulla_activity (slot, changes) VALUES ($1, 1)
        ON CONFLICT (slot) DO UPDATE SET changes = bulla_activity.changes + 1
        """)
    static let changeCount = Statement(
        "change count",
        "SELECT CAST(COALESCE(SUM(changes), 0) AS BIGINT) FROM bulla_activity")
}
#endif
