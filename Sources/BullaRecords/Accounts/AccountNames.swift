internal import Bulla

/// The names with which accounts sign in.
package struct AccountNames: Sendable {
    private let store: Store

    init(_ store: Store) { self.store = store }

    private func rows(_ place: Place) -> PlaceRows { PlaceRows(store, "names", place) }

    /// Gives an account a name; returns `false` if the name is already taken.
    func insert(
        _ name: String, of account: AccountIdentifier, in place: Place
    ) throws(RecordError) -> Bool {
        try RecordError.attempt("name an account") {
            try rows(place).insert(account.identifier.bytes, Array(name.utf8))
        }
    }

    /// The account with this name; `nil` if there is none.
    package func account(
        named name: String, in place: Place
    ) throws(RecordError) -> AccountIdentifier? {
        // An invalid name can be too long for a key of the store, so it is not looked up.
        guard NameRules.isAccountName(name) else { return nil }
        return try RecordError.attempt("look up an account's name") {
            try rows(place).row(Array(name.utf8)).map { try Self.account($0) }
        }
    }

    /// The names of accounts, sorted by their bytes.
    package func all(
        in place: Place
    ) throws(RecordError) -> [(name: String, account: AccountIdentifier)] {
        try RecordError.attempt("list the names of accounts") {
            try rows(place).rows().map { name, row in
                (String(decoding: name, as: UTF8.self), try Self.account(row))
            }
        }
    }

    func forget(_ account: AccountIdentifier, in place: Place) throws {
        let rows = rows(place)
        try rows.delete(rows.rows().filter { $0.row == account.identifier.bytes }.map(\.key))
    }

    private static func account(_ row: [UInt8]) throws(RecordError) -> AccountIdentifier {
        guard let identifier = RandomIdentifier(bytes: row) else {
            throw RecordError(.damaged, "read an account's name: its row is malformed")
        }
        return AccountIdentifier(identifier)
    }
}
