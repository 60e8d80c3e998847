/// What a caller takes for granted about the home of the databases that it uses.
package struct HomeClaim: Hashable, Sendable {
    package enum Role: Hashable, Sendable {
        /// Uses databases that are here.
        case client
        /// Reads databases that are leaving, as long as their rows name this attempt.
        case sender(attempt: UInt64)
        /// Fills databases that are arriving, as long as their rows name this attempt.
        case receiver(attempt: UInt64)
        /// Deletes what databases left behind.
        case remover
    }

    package let role: Role
    package let generation: UInt64

    package init(_ role: Role, _ generation: UInt64) {
        (self.role, self.generation) = (role, generation)
    }

    fileprivate func allows(_ row: HomeRow, isChange: Bool) -> Bool {
        guard row.generation == generation else { return false }
        return switch role {
        case .client: isChange ? row.takesChanges : row.isHome
        case .sender(let attempt):
            !isChange && [.sending, .leaving].contains(row.state) && row.attempt == attempt
        case .receiver(let attempt): row.state == .arriving && row.attempt == attempt
        case .remover: [.emptied, .clearing].contains(row.state)
        }
    }
}

extension HomeRow {
    /// Checks a claim; call it in the transaction that uses the database.
    ///
    /// - Parameters:
    ///   - row: the database's row; `nil` if the site has none.
    ///   - claim: `nil` for a caller that knows of no other site: it can use every database that is
    ///     here or has no row.
    /// - Throws: `unavailable`, with ``RecordError/hasMoved``.
    package static func check(
        _ row: HomeRow?, _ claim: HomeClaim?, isChange: Bool
    ) throws(RecordError) {
        let isAllowed =
            if let claim { row.map { claim.allows($0, isChange: isChange) } ?? false } else {
                row.map { isChange ? $0.takesChanges : $0.isHome } ?? true
            }
        guard isAllowed else {
            throw .moved("use a database: it moves, or has moved, to another site")
        }
    }

    /// Whether a caller with a claim may forget deletions now: not while a mover is copying the
    /// database, because a mover that missed deletions would have to start its copy over.
    ///
    /// - Throws: the error of ``check(_:_:isChange:)`` if the claim does not even allow reading.
    package static func mayForget(
        _ row: HomeRow?, _ claim: HomeClaim?
    ) throws(RecordError) -> Bool {
        try check(row, claim, isChange: false)
        return row.map { $0.state == .here } ?? true
    }
}
