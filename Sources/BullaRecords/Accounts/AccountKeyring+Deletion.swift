internal import Bulla

/// Deletes accounts: first their keys, and last the note that the deletion has begun.
extension AccountKeyring {
    private func leaving(_ place: Place) -> PlaceRows { PlaceRows(store, "leaving", place) }

    /// Deletes an account: nothing that was sealed for it can be opened any more.
    ///
    /// - Throws: `unknownItem`.
    package func delete(
        _ account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        try beginDeletion(of: account, in: place)
        try endDeletion(of: account, in: place)
    }

    /// Deletes an account's keys, sessions, roles and rights: nothing that was sealed for it can be
    /// opened any more.
    ///
    /// Until ``endDeletion(of:in:)``, the account keeps its name, and ``leavingAccounts(in:)``
    /// lists it, so that an interrupted caller can find it and start again.
    ///
    /// - Throws: `unknownItem` if there is no such account, and no deletion of it has begun.
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
            try developers.forget(account, in: place)
            try sessions.endAll(of: account, in: place)
            // Drop all vaults of the account, including those that an unfinished reset left behind.
            let prefix = AccountRow.vaultPrefix(account)
            for vault in try store.vaultNames() where vault.hasPrefix(prefix) { try drop(vault) }
        }
    }

    /// Deletes an account's name, and the note of its deletion: nothing of the account is left.
    package func endDeletion(
        of account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        try RecordError.attempt("delete an account") {
            try names.forget(account, in: place)
            try leaving(place).delete([account.identifier.bytes])
        }
    }

    /// The accounts whose deletion has begun but not ended.
    package func leavingAccounts(in place: Place) throws(RecordError) -> [AccountIdentifier] {
        try RecordError.attempt("list accounts that are leaving") {
            try leaving(place).rows().compactMap { RandomIdentifier(bytes: $0.key) }
                .map { AccountIdentifier($0) }
        }
    }
}
