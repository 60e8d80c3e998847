internal import Bulla

/// The roles of accounts in the public database, besides the system's roles.
///
/// The schema says what a role may do.
package struct AccountRoles: Sendable {
    private let keyring: AccountKeyring

    init(_ keyring: AccountKeyring) { self.keyring = keyring }

    private func rows(_ place: Place) -> PlaceRows { PlaceRows(keyring.store, "roles", place) }

    /// Gives an account a role, unless the account already has it.
    ///
    /// - Throws: `invalidArguments` if no role can have this name; `unknownItem` if there is no
    ///   such account.
    package func grant(
        _ role: String, to account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        guard NameRules.isTypeName(role) else {
            throw RecordError(.invalidArguments, "grant a role: no role can have this name")
        }
        guard try keyring.epoch(of: account, in: place) != nil else {
            throw AccountKeyring.unknown(account)
        }
        try RecordError.attempt("grant a role") {
            _ = try rows(place).insert([], Self.key(role, account))
        }
    }

    /// Removes a role from an account.
    ///
    /// - Throws: `unknownItem` if the account does not have it.
    package func revoke(
        _ role: String, from account: AccountIdentifier, in place: Place
    ) throws(RecordError) {
        try RecordError.attempt("revoke a role") {
            // An invalid role can be too long for a key of the store, so it is not looked up.
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
