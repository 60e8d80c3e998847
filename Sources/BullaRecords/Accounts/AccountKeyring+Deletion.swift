internal import Bulla

/// How accounts are forgotten: first their keys, and at last that something is left to forget.
extension AccountKeyring {
    private func leaving(_ place: Place) -> PlaceRows { PlaceRows(store, "leaving", place) }

    /// Forgets an account: nothing opens any more what was sealed for it.
    ///
    /// - Throws: `unknownItem`.
    package func delete(
        _ account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        try beginDeletion(of: account, in: place)
        try endDeletion(of: account, in: place)
    }

    /// Forgets an account's keys, sessions and roles: nothing opens any more what was sealed for
    /// it.
    ///
    /// Until ``endDeletion(of:in:)`` its name stays, and ``leavingAccounts(in:)`` lists it: so a
    /// caller that was interrupted finds it again, and begins anew.
    ///
    /// - Throws: `unknownItem` where there is no such account, and none that is leaving.
    package func beginDeletion(
        of account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        try RecordError.attempt("delete an account") {
            let name = account.identifier.bytes
            if try epoch(of: account, in: place) == nil, try leaving(place).row(name) == nil {
                throw Self.unknown(account)
            }
            _ = try leaving(place).insert([], name)
            try forgetRow(of: account, in: place)
            try roles.forgetAll(of: account, in: place)
            try sessions.endAll(of: account, in: place)
            // Also those that a reset left behind which did not come to its end.
            let prefix = AccountRow.vaultPrefix(account)
            for vault in try store.vaultNames() where vault.hasPrefix(prefix) { try drop(vault) }
        }
    }

    /// Forgets an account's name, and that it was there: of what it had nothing is left.
    package func endDeletion(
        of account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        try RecordError.attempt("delete an account") {
            try names.forget(account, in: place)
            try leaving(place).delete([account.identifier.bytes])
        }
    }

    /// The accounts whose deletion has begun, and not ended.
    package func leavingAccounts(in place: Place) throws(RecordError) -> [AccountIdentifier] {
        try RecordError.attempt("list accounts that are leaving") {
            try leaving(place).rows().compactMap { RandomIdentifier(bytes: $0.key) }
                .map { AccountIdentifier($0) }
        }
    }
}
