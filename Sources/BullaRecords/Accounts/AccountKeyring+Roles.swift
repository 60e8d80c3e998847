internal import Bulla

/// The roles that accounts have in the public database, besides those that the system gives.
///
/// What a role may do is the schema's to say.
extension AccountKeyring {
    private func roles(_ place: Place) -> PlaceRows { PlaceRows(store, "roles", place) }

    /// Gives an account a role; one that it has stays.
    ///
    /// - Throws: `invalidArguments` for a name that no schema creates; `unknownItem` where there is
    ///   no such account.
    package func grant(
        _ role: String, to account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        guard NameRules.isTypeName(role) else {
            throw RecordError(.invalidArguments, "grant a role: no schema creates one so called")
        }
        guard try epoch(of: account, in: place) != nil else { throw Self.unknown(account) }
        try attempt("grant a role") {
            _ = try roles(place).insert([], Self.key(role, account))
        }
    }

    /// Takes a role from an account.
    ///
    /// - Throws: `unknownItem` where the account does not have it.
    package func revoke(
        _ role: String, from account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        try attempt("revoke a role") {
            // A key that no role can be is none of the store's either.
            guard NameRules.isTypeName(role),
                try roles(place).delete([Self.key(role, account)]) > 0
            else { throw RecordError(.unknownItem, "revoke a role: the account does not have it") }
        }
    }

    /// The roles of an account.
    ///
    /// - Complexity: one scan of its roles in a snapshot.
    package func roles(
        of account: AccountIdentifier, in place: Place
    ) throws(RecordError) -> Set<String> {
        try attempt("look up an account's roles") {
            let start = account.identifier.bytes
            return Set(
                try roles(place).rows(beginningWith: start).map {
                    String(decoding: $0.key.dropFirst(start.count), as: UTF8.self)
                })
        }
    }

    func forgetRoles(of account: AccountIdentifier, in place: Place) throws {
        let rows = roles(place)
        try rows.delete(rows.rows(beginningWith: account.identifier.bytes).map(\.key))
    }

    private static func key(_ role: String, _ account: AccountIdentifier) -> [UInt8] {
        account.identifier.bytes + Array(role.utf8)
    }
}
