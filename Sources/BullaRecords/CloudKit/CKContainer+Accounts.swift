public import Bulla

/// Accounts of this container's environment.
///
/// All of them take the time that stretching a password takes, where one is given.
extension CKContainer {
    /// Makes an account; nobody is signed in by that.
    ///
    /// - Parameter key: a password, or another key of the owner's, without which nothing opens that
    ///   the account will have.
    /// - Returns: the account's user record, by whose name it signs in.
    /// - Throws: ``CKError``: `invalidArguments` for a key that cannot be; `badContainer`.
    public func createAccount(unlockedBy key: StoreKey) async throws -> CKRecord.ID {
        try await run { open throws(RecordError) in
            let account = try open.keyring.create(in: open.place, unlockedBy: key)
            return CKRecord.ID(recordName: account.userRecordName)
        }
    }

    /// All accounts.
    ///
    /// - Throws: ``CKError``: `badContainer`.
    public func accounts() async throws -> [CKRecord.ID] {
        try await run { open throws(RecordError) in
            try open.keyring.accounts(in: open.place).map {
                CKRecord.ID(recordName: $0.userRecordName)
            }
        }
    }

    /// Signs an account in, for all who use this container in this process; whoever was signed in
    /// before is not any more.
    ///
    /// - Throws: ``CKError``: `notAuthenticated` where the key is not the account's; `unknownItem`
    ///   where there is no such account; `badContainer`.
    public func signIn(_ user: CKRecord.ID, with key: StoreKey) async throws {
        try await run { open throws(RecordError) in
            let account = try Self.account(user)
            let keys = try open.keyring.unlock(account, in: open.place, with: key)
            // Where that fails, others cannot share with the account until it is used again.
            try? open.core.directory.publish(keys)
            open.signIn(keys)
        }
    }

    /// Wipes the keys of whoever is signed in.
    ///
    /// - Throws: ``CKError``: `badContainer`.
    public func signOut() throws { try open().signOut() }

    /// Gives an account another password or key; what it has goes on opening, and sessions go on.
    ///
    /// A copy of the accounts' store from before opens with the former one.
    ///
    /// - Throws: as ``signIn(_:with:)``, for the former key.
    public func changeKey(
        of user: CKRecord.ID, from former: StoreKey, to key: StoreKey
    ) async throws {
        try await run { open throws(RecordError) in
            try open.keyring.changeKey(
                of: Self.account(user), in: open.place, from: former, to: key)
        }
    }

    /// Gives an account new keys, without its former password: for who has lost it.
    ///
    /// What the account has in its private database opens no more, ever: its zones say
    /// ``CKError/Code/zoneNotFound`` with ``CKErrorUserDidResetEncryptedDataKey``, until they are
    /// deleted and made again, and their shares end. What others share with the account is gone
    /// from its shared database until they name it again. All sessions of the account end. A copy
    /// of the accounts' store from before still opens with the former password what was sealed
    /// until then.
    ///
    /// - Parameter key: the account's from here on.
    /// - Throws: ``CKError``: `unknownItem`; `badContainer`.
    public func resetEncryptedData(of user: CKRecord.ID, to key: StoreKey) async throws {
        try await run { open throws(RecordError) in
            let account = try Self.account(user)
            _ = try open.keyring.reset(account, in: open.place, to: key)
            try open.core.zoneKeys.forget(of: account)
            try open.core.zoneKeys.leaveShares(of: account)
            let keys = try open.keyring.unlock(account, in: open.place, with: key)
            defer { keys.end() }
            try open.core.directory.publish(keys)
        }
    }

    /// Forgets an account: nothing opens any more what it has in its private database, and what it
    /// shares.
    ///
    /// A deletion that fails may be asked for again, and goes on.
    ///
    /// - Throws: ``CKError``: `unknownItem`; `badContainer`.
    public func deleteAccount(_ user: CKRecord.ID) async throws {
        try await run { open throws(RecordError) in
            let account = try Self.account(user)
            try open.keyring.beginDeletion(of: account, in: open.place)
            try open.core.zoneKeys.forget(of: account)
            try open.core.zoneKeys.leaveShares(of: account)
            try open.keyring.endDeletion(of: account, in: open.place)
        }
    }

    private static func account(_ user: CKRecord.ID) throws(RecordError) -> AccountIdentifier {
        guard let account = AccountIdentifier(userRecordName: user.recordName) else {
            throw RecordError(
                .unknownItem, "use account \(user.recordName.told): it is none")
        }
        return account
    }
}
