#if PostgreSQL
/// Statements over the homes of databases; see ``HomeRow``.
enum HomeStatements {
    private static let isDatabase = "container = $1 AND environment = $2 AND owner = $3"

    static let home = Statement("home", "SELECT content FROM bulla_homes WHERE \(isDatabase)")
    /// Keeps a row as it is until the end of the transaction.
    static let holdHome = Statement("hold home", "\(home.text) FOR SHARE")
    /// Keeps other transactions from locking or changing the row until this transaction ends.
    static let lockHome = Statement("lock home", "\(home.text) FOR UPDATE")
    static let homesOfPlace = Statement(
        "homes of place",
        "SELECT owner, content FROM bulla_homes WHERE container = $1 AND environment = $2")
    /// The rows of databases that are on their way; see ``HomeRow/isOnItsWay``.
    ///
    /// The statement finds them by the state, which is the byte after the version and the
    /// generation.
    static let homesOnTheirWay = Statement(
        "homes on their way",
        """
        SELECT container, environment, owner, content FROM bulla_homes
        WHERE GET_BYTE(content, 9) IN (3, 5, 6, 7)
        """)
    static let putHome = Statement(
        "put home",
        """
        INSERT INTO bulla_homes (container, environment, owner, content) VALUES ($1, $2, $3, $4)
        ON CONFLICT (container, environment, owner) DO NOTHING
        """)
    static let replaceHome = Statement(
        "replace home",
        "UPDATE bulla_homes SET content = $4 WHERE \(isDatabase) AND content = $5")
}
#endif
