extension RecordError {
    /// The error for a database that its site has lost.
    static func lost(at home: String) -> RecordError {
        var error = RecordError(
            .damaged, "use a database: \(home) was restored to a time before it came there")
        error.detail =
            "bulla-records placement restored lets it go on with an earlier stay, "
            + "and placement abandon gives up what is lost"
        return error
    }

    /// The error for a database at a site that the settings do not name.
    static func absent(_ home: String) -> RecordError {
        var error = RecordError(
            .internalError, "use a database: the settings have no database named \(home)")
        error.detail = "if it is gone for good, bulla-records placement abandon gives it up"
        return error
    }

    /// Whether a site threw this error because it cannot be reached, or is too busy to answer.
    var isSilence: Bool { code == .unavailable && !hasMoved }
}
