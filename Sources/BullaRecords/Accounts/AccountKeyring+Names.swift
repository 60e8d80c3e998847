package import Bulla
internal import BullaCipher
internal import BullaMemory

/// The names that accounts sign in by.
extension AccountKeyring {
    private func names(_ place: Place) -> PlaceRows { PlaceRows(store, "names", place) }

    /// Makes an account that signs in by a name.
    ///
    /// - Throws: `invalidArguments` for a name that cannot be, or that another account has; what
    ///   ``create(in:unlockedBy:)`` throws.
    package func create(
        named name: String, in place: Place, unlockedBy key: StoreKey
    ) throws(RecordError) -> AccountIdentifier {
        guard NameRules.isAccountName(name) else {
            throw RecordError(
                .invalidArguments,
                "make an account: a name has 1 to 255 bytes, and neither spaces nor controls")
        }
        // Looked up first, so that no password is stretched in vain.
        guard try account(named: name, in: place) == nil else { throw Self.taken }
        let account = try create(in: place, unlockedBy: key)
        let isNew = try attempt("name an account") {
            try names(place).insert(account.identifier.bytes, Array(name.utf8))
        }
        guard isNew else {
            try delete(account, in: place)
            throw Self.taken
        }
        return account
    }

    private static let taken = RecordError(
        .invalidArguments, "make an account: another one has this name")

    /// The account of a name; `nil` where none has it.
    package func account(
        named name: String, in place: Place
    ) throws(RecordError) -> AccountIdentifier? {
        // A key that no name can be is none of the store's either.
        guard NameRules.isAccountName(name) else { return nil }
        return try attempt("look up an account's name") {
            try names(place).row(Array(name.utf8)).map { try Self.account($0) }
        }
    }

    /// The names of accounts, in the order of their bytes.
    package func names(
        in place: Place
    ) throws(RecordError) -> [(name: String, account: AccountIdentifier)] {
        try attempt("list the names of accounts") {
            try names(place).rows().map { name, row in
                (String(decoding: name, as: UTF8.self), try Self.account(row))
            }
        }
    }

    /// Takes the time that a wrong password of an account takes.
    ///
    /// Without it the time of a refusal would tell which names accounts have.
    package func openNobody(with password: StoreKey) throws(RecordError) {
        try attempt("open no account") {
            do throws(BullaError) {
                try store.openVault(Self.nobodysVault, key: password).lock()
            } catch {
                switch error.code {
                case .wrongKey: return
                case .vaultNotFound: try createNobodysVault()
                default: throw error
                }
            }
        }
    }

    /// Makes a vault behind a password that nobody knows; it takes as long as opening one.
    private func createNobodysVault() throws {
        let password = Hexadecimal.text(
            try [UInt8](byteCount: AccountKeys.serviceKeyByteCount) { bytes throws(CipherError) in
                try KernelRandom.fill(bytes)
            })
        do throws(BullaError) {
            try store.createVault(
                Self.nobodysVault, keys: [.password(Secret(password))]
            ).lock()
        } catch {
            guard error.code == .vaultExists else { throw error }
        }
    }

    private static let nobodysVault = "nobody"

    func forgetName(of account: AccountIdentifier, in place: Place) throws {
        let rows = names(place)
        try rows.delete(rows.rows().filter { $0.row == account.identifier.bytes }.map(\.key))
    }

    private static func account(_ row: [UInt8]) throws(RecordError) -> AccountIdentifier {
        guard let identifier = RandomIdentifier(bytes: row) else {
            throw RecordError(.damaged, "read an account's name: its row is cut")
        }
        return AccountIdentifier(identifier)
    }
}
