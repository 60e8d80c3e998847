package import Bulla
internal import BullaCipher
internal import BullaMemory

/// The account and the period of a session.
package struct AccountSession: Sendable {
    package let account: AccountIdentifier
    /// The epoch of the account's keys.
    package let epoch: UInt32
    /// The beginning and the end, in milliseconds since 1970.
    package let begun: Int64
    package let end: Int64
}

/// Sessions, which open an account without its password until they end.
package struct AccountSessions: Sendable {
    private let keyring: AccountKeyring

    init(_ keyring: AccountKeyring) { self.keyring = keyring }

    private func rows(_ place: Place) -> PlaceRows {
        PlaceRows(keyring.store, "sessions", place)
    }

    /// Begins a session of an account.
    ///
    /// - Parameters:
    ///   - key: the account's password or key.
    ///   - period: from now until the session's end, in milliseconds since 1970.
    /// - Throws: what ``AccountKeyring/unlock(_:in:with:)`` throws.
    package func begin(
        _ session: borrowing SessionKey, of account: AccountIdentifier, in place: Place,
        unlockedBy key: StoreKey, for period: Range<Int64>
    ) throws(RecordError) {
        let (identifier, hash, wrapper) = try parts(of: session, place)
        defer { wrapper.end() }
        try keyring.withServiceKey(of: account, in: place, unlockedBy: key) { epoch, serviceKey in
            var row = try SessionRow(
                account, epoch: epoch, begun: period.lowerBound, end: period.upperBound,
                hash: hash)
            try row.seal(serviceKey, by: wrapper)
            try insert(row, identifier, place)
        }
    }

    private func parts(
        of session: borrowing SessionKey, _ place: Place
    ) throws(RecordError) -> (RandomIdentifier, Digest, VaultCipher) {
        do throws(CipherError) {
            return (session.identifier, try session.hash(), try session.wrapper(place))
        } catch { throw RecordError.cipher("use a session", error) }
    }

    private func insert(
        _ row: SessionRow, _ identifier: RandomIdentifier, _ place: Place
    ) throws {
        guard try rows(place).insert(row.bytes, identifier.bytes) else {
            throw RecordError(.invalidArguments, "begin a session: it already exists")
        }
    }

    /// The session with this key; `nil` if there is none, if it has ended, or if the account's keys
    /// were reset or deleted.
    ///
    /// - Complexity: two lookups in one snapshot.
    package func session(
        _ session: borrowing SessionKey, in place: Place, now: Int64
    ) throws(RecordError) -> AccountSession? {
        let (identifier, hash, wrapper) = try parts(of: session, place)
        wrapper.end()
        return try RecordError.attempt("look up a session") {
            try row(identifier, hash, place, now).map { row in
                AccountSession(
                    account: row.account, epoch: row.epoch, begun: row.begun, end: row.end)
            }
        }
    }

    private func row(
        _ identifier: RandomIdentifier, _ hash: Digest, _ place: Place, _ now: Int64
    ) throws -> SessionRow? {
        let (row, epoch) = try keyring.store.read { snapshot in
            let bytes = try rows(place).row(identifier.bytes, in: snapshot)
            let row = try bytes.map { try SessionRow($0) }
            return (row, try row.flatMap { try keyring.epoch(of: $0.account, place, in: snapshot) })
        }
        guard let row, row.hash.equals(hash), now < row.end, row.epoch == epoch else { return nil }
        return row
    }

    /// The keys of a session's account; `nil` if ``session(_:in:now:)`` returns nil.
    package func keys(
        of session: borrowing SessionKey, in place: Place, now: Int64
    ) throws(RecordError) -> AccountKeys? {
        let (identifier, hash, wrapper) = try parts(of: session, place)
        defer { wrapper.end() }
        return try RecordError.attempt("open a session") {
            guard let row = try row(identifier, hash, place, now) else { return nil }
            let serviceKey = try row.serviceKey(by: wrapper)
            return try AccountKeys(
                row.account, in: place, epoch: row.epoch, serviceKey: serviceKey)
        }
    }

    /// The key of the session that follows `former`; every call for `former` returns the same key.
    ///
    /// So a client that keeps using an old token begins only one more session. Once the old session
    /// has ended, its key no longer leads to the next one.
    ///
    /// - Returns: `nil` if ``session(_:in:now:)`` returns nil for `former`.
    package func successor(
        of former: borrowing SessionKey, in place: Place, now: Int64
    ) throws(RecordError) -> SessionKey? {
        let (identifier, hash, wrapper) = try parts(of: former, place)
        wrapper.end()
        let renewal = try RecordError.attempt("continue a session") {
            try row(identifier, hash, place, now)?.renewal
        }
        guard let renewal else { return nil }
        do throws(CipherError) { return try former.successor(renewal) } catch {
            throw RecordError.cipher("continue a session", error)
        }
    }

    /// Begins the session `next` for the account of `former`, unless `next` exists already;
    /// `former` continues until its own end.
    ///
    /// - Returns: `false` if ``session(_:in:now:)`` returns nil for `former`.
    package func `continue`(
        _ former: borrowing SessionKey, as next: borrowing SessionKey, in place: Place,
        for period: Range<Int64>
    ) throws(RecordError) -> Bool {
        let (identifier, hash, wrapper) = try parts(of: former, place)
        let (nextIdentifier, nextHash, nextWrapper) = try parts(of: next, place)
        defer {
            wrapper.end()
            nextWrapper.end()
        }
        return try RecordError.attempt("continue a session") {
            guard let row = try row(identifier, hash, place, period.lowerBound) else {
                return false
            }
            let serviceKey = try row.serviceKey(by: wrapper)
            var nextRow = try SessionRow(
                row.account, epoch: row.epoch, begun: period.lowerBound, end: period.upperBound,
                hash: nextHash)
            try nextRow.seal(serviceKey, by: nextWrapper)
            // An existing session stays unchanged.
            _ = try rows(place).insert(nextRow.bytes, nextIdentifier.bytes)
            return true
        }
    }

    /// Ends a session.
    ///
    /// - Returns: `false` if there is no session with this key.
    package func end(
        _ session: borrowing SessionKey, in place: Place
    ) throws(RecordError) -> Bool {
        let (identifier, hash, wrapper) = try parts(of: session, place)
        wrapper.end()
        return try RecordError.attempt("end a session") {
            guard let bytes = try rows(place).row(identifier.bytes),
                try SessionRow(bytes).hash.equals(hash)
            else { return false }
            return try rows(place).delete([identifier.bytes]) > 0
        }
    }

    /// Ends all sessions of an account.
    ///
    /// - Returns: how many sessions ended.
    @discardableResult
    package func endAll(
        of account: AccountIdentifier, in place: Place
    ) throws(RecordError) -> Int {
        try end(in: place) { $0.account == account }
    }

    /// Deletes the sessions that have ended.
    ///
    /// - Returns: how many were deleted.
    @discardableResult
    package func forget(
        endedBefore now: Int64, in place: Place
    ) throws(RecordError) -> Int {
        try end(in: place) { $0.end <= now }
    }

    private func end(
        in place: Place, where isMeant: (SessionRow) -> Bool
    ) throws(RecordError) -> Int {
        try RecordError.attempt("end sessions") {
            let rows = rows(place)
            return try rows.delete(
                rows.rows().filter { try isMeant(SessionRow($0.row)) }.map(\.key))
        }
    }
}
