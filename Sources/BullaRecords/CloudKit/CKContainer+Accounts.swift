public import Bulla

/// The accounts of this container's environment.
///
/// A method that takes a password is slow, because it stretches the password.
extension CKContainer {
    /// Creates an account; this does not sign in a user.
    ///
    /// - Parameter key: the owner's password or another key, without which nothing in the account
    ///   can be opened.
    /// - Returns: the ID of the account's user record, by which the user signs in.
    /// - Throws: ``CKError``: `invalidArguments` for an invalid key; `badContainer`.
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

    /// Signs in to an account, and signs out the former user.
    ///
    /// This applies to everything in this process that uses this container.
    ///
    /// - Throws: ``CKError``: `notAuthenticated` if the key is not the account's; `unknownItem` if
    ///   there is no such account; `badContainer`.
    public func signIn(_ user: CKRecord.ID, with key: StoreKey) async throws {
        try await run { open throws(RecordError) in
            let account = try Self.account(user)
            let keys = try open.keyring.unlock(account, in: open.place, with: key)
            // If this fails, other users cannot share with this account until it signs in again.
            try? open.core.directory.publish(keys)
            open.signIn(keys)
        }
    }

    /// Signs out the user, and wipes the account's keys.
    ///
    /// - Throws: ``CKError``: `badContainer`.
    public func signOut() throws { try open().signOut() }

    /// Gives an account another password or key; its data and its sessions stay usable.
    ///
    /// An older copy of the accounts' store still opens with the former key.
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

    /// Gives an account new keys, without its former password: for an owner who has lost it.
    ///
    /// What the account has in its private database can never be opened again. The shares of its
    /// zones end, and the zones throw ``CKError/Code/zoneNotFound`` with
    /// ``CKErrorUserDidResetEncryptedDataKey`` until they are deleted and created again. What
    /// others share with the account disappears from its shared database until they add the account
    /// to the shares again. All sessions of the account end. With the former password, an older
    /// copy of the accounts' store still opens what was sealed before the reset.
    ///
    /// - Parameter key: the account's new password or key.
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

    /// Deletes an account: its private database, and what it shares, can never be opened again.
    ///
    /// You can repeat a deletion that failed: it continues where it stopped.
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
                .unknownItem, "use account \(user.recordName.told): there is none")
        }
        return account
    }
}
