package import BullaRecords

/// Accounts in several databases, and the unfinished moves of accounts between the databases.
extension ServiceStores {
    /// The backend over all databases.
    ///
    /// - Throws: `invalidArguments` if there is only one.
    package func severalDatabases() throws(RecordError) -> PlacedBackend {
        guard let placed else {
            throw RecordError(
                .invalidArguments,
                "place accounts: the settings have only one database; add others to databases")
        }
        return placed
    }

    /// A mover of accounts between databases.
    ///
    /// - Parameter probe: called before each step.
    /// - Throws: the errors of ``severalDatabases()``.
    package func mover(
        probe: @escaping AccountMover.Probe = { _ in }
    ) throws(RecordError) -> AccountMover {
        AccountMover(
            try severalDatabases(), clock: clock, assetByteLimit: limits.assetByteCount,
            probe: probe)
    }

    /// The accounts of a place with their databases, followed by the place's public database, for
    /// which the name is `nil`.
    package func databases(
        of place: Place
    ) throws(RecordError) -> [(name: String?, database: Database)] {
        var databases: [(name: String?, database: Database)] = []
        for (name, account) in try keyring.names.all(in: place) {
            databases.append((name, Database(place, owner: account)))
        }
        databases.append((nil, Database(place, owner: nil)))
        return databases
    }

    /// Finishes the moves on which no mover has worked since the last call.
    ///
    /// If a mover dies near the end of a move, the account can be read, but not changed, until the
    /// move is finished.
    ///
    /// - Throws: the first error, after all moves have been tried.
    func resumeOldMoves(in place: Place) throws(RecordError) {
        guard let placed else { return }
        var failure: RecordError?
        for (_, database) in try databases(of: place) {
            do throws(RecordError) {
                guard let move = try UnfinishedMoves.Move(database, placed) else {
                    unfinishedMoves.forget(database)
                    continue
                }
                if unfinishedMoves.isOld(move, of: database) { try mover().resume(database) }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// After a database was restored from a backup, lets its accounts continue with what the
    /// database still has of them.
    ///
    /// - Parameter visit: called for each account that came to the database or was created in it
    ///   after the backup, and for each that was never used.
    package func adoptAccounts(
        of name: String, in place: Place,
        _ visit: (_ name: String?, Database, RestoredDatabase) -> Void
    ) throws(RecordError) {
        let placed = try severalDatabases()
        var failure: RecordError?
        for (account, database) in try databases(of: place) {
            do throws(RecordError) {
                guard try placed.entry(of: database)?.home == name else { continue }
                let result = try placed.adopt(database)
                if result != .present { visit(account, database, result) }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
