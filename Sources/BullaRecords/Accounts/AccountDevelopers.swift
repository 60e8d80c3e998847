internal import Bulla

/// The accounts whose users may read the schema and promote it, in the service's console.
///
/// The right belongs to an account of one environment, but covers the schemas of both environments
/// of its container.
package struct AccountDevelopers: Sendable {
    private let keyring: AccountKeyring

    init(_ keyring: AccountKeyring) { self.keyring = keyring }

    private func rows(_ place: Place) -> PlaceRows {
        PlaceRows(keyring.store, "developers", place)
    }

    /// Gives an account the right, unless it already has it.
    ///
    /// - Throws: `unknownItem` if there is no such account.
    package func allow(_ account: AccountIdentifier, in place: Place) throws(RecordError) {
        guard try keyring.epoch(of: account, in: place) != nil else {
            throw AccountKeyring.unknown(account)
        }
        try RecordError.attempt("allow developing") {
            _ = try rows(place).insert([], account.identifier.bytes)
        }
    }

    /// Takes the right from an account.
    ///
    /// - Throws: `unknownItem` if the account does not have it.
    package func forbid(_ account: AccountIdentifier, in place: Place) throws(RecordError) {
        try RecordError.attempt("forbid developing") {
            guard try rows(place).delete([account.identifier.bytes]) > 0 else {
                throw RecordError(
                    .unknownItem, "forbid developing: the account is no developer's")
            }
        }
    }

    /// Whether an account has the right.
    ///
    /// - Complexity: one lookup in a snapshot.
    package func contains(
        _ account: AccountIdentifier, in place: Place
    ) throws(RecordError) -> Bool {
        try RecordError.attempt("look up a developer") {
            try rows(place).row(account.identifier.bytes) != nil
        }
    }

    func forget(_ account: AccountIdentifier, in place: Place) throws {
        try rows(place).delete([account.identifier.bytes])
    }
}
