package import Bulla
internal import BullaCipher
internal import BullaMemory

/// Accounts that sign in by name, and the time that a failed sign-in takes.
extension AccountKeyring {
    /// Creates an account that signs in by name.
    ///
    /// - Throws: `invalidArguments` for an invalid name, or one that another account has; also the
    ///   errors of ``create(in:unlockedBy:)``.
    package func create(
        named name: String, in place: Place, unlockedBy key: StoreKey
    ) throws(RecordError) -> AccountIdentifier {
        guard NameRules.isAccountName(name) else {
            throw RecordError(
                .invalidArguments,
                "make an account: a name has 1 to 255 bytes, without spaces or control characters")
        }
        // Check the name first, because stretching the password takes a long time.
        guard try names.account(named: name, in: place) == nil else { throw Self.taken }
        let account = try create(in: place, unlockedBy: key)
        guard try names.insert(name, of: account, in: place) else {
            try delete(account, in: place)
            throw Self.taken
        }
        return account
    }

    private static let taken = RecordError(
        .invalidArguments, "make an account: another one has this name")

    /// Takes as long as trying a wrong password for an existing account, and opens nothing.
    ///
    /// Otherwise the time until a sign-in is refused would reveal which names exist.
    package func openNobody(with password: StoreKey) throws(RecordError) {
        try RecordError.attempt("open no account") {
            do throws(BullaError) {
                try store.openVault(named: Self.nobodysVault, key: password).lock()
            } catch {
                switch error.code {
                case .wrongKey: return
                case .vaultNotFound: try createNobodysVault()
                default: throw error
                }
            }
        }
    }

    /// Creates a vault with a password that nobody knows; this takes as long as opening a vault.
    private func createNobodysVault() throws {
        let password = Hexadecimal.text(
            try [UInt8](byteCount: AccountKeys.serviceKeyByteCount) { bytes throws(CipherError) in
                try KernelRandom.fill(bytes)
            })
        do throws(BullaError) {
            try store.createVault(
                named: Self.nobodysVault, keys: [.password(Secret(password))]
            ).lock()
        } catch {
            guard error.code == .vaultExists else { throw error }
        }
    }

    private static let nobodysVault = "nobody"
}
