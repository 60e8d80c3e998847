internal import Bulla

/// The roles that accounts have in the public database, besides those that the system gives.
///
/// What a role may do is the schema's to say.
package struct AccountRoles: Sendable {
    private let keyring: AccountKeyring

    init(_ keyring: AccountKeyring) { self.keyring = keyring }

    private func rows(_ place: Place) -> PlaceRows { PlaceRows(keyring.store, "roles", place) }

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
        guard try keyring.epoch(of: account, in: place) != nil else {
            throw AccountKeyring.unknown(account)
        }
        try RecordError.attempt("grant a role") {
            _ = try rows(place).insert([], Self.key(role, account))
        }
    }

    /// Takes a role from an account.
    ///
    /// - Throws: `unknownItem` where the account does not have it.
    package func revoke(
        _ role: String, from account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        try RecordError.attempt("revoke a role") {
            // A key that no role can be is none of the store's either.
            guard NameRules.isTypeName(role),
                try rows(place).delete([Self.key(role, account)]) > 0
            else { throw RecordError(.unknownItem, "revoke a role: the account does not have it") }
        }
    }

    /// The roles of an account.
    ///
    /// - Complexity: one scan of its roles in a snapshot.
    package func all(
        of account: AccountIdentifier, in place: Place
    ) throws(RecordError) -> Set<String> {
        try RecordError.attempt("look up an account's roles") {
            let start = account.identifier.bytes
            return Set(
                try rows(place).rows(beginningWith: start).map {
                    String(decoding: $0.key.dropFirst(start.count), as: UTF8.self)
                })
        }
    }

    func forgetAll(of account: AccountIdentifier, in place: Place) throws {
        let rows = rows(place)
        try rows.delete(rows.rows(beginningWith: account.identifier.bytes).map(\.key))
    }

    private static func key(_ role: String, _ account: AccountIdentifier) -> [UInt8] {
        account.identifier.bytes + Array(role.utf8)
    }
}
