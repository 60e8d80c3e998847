public import Bulla
internal import Dispatch
internal import Foundation

/// What CloudKit has Apple's servers for: where a container's records lie, and who has accounts.
extension CKContainer {
    /// Opens a container's stores, and makes them where there are none.
    ///
    /// Records stand in `records.bulla`, accounts in `accounts.bulla`, so that a backup of the one
    /// does not hold the other. Several containers, and several processes, may have one folder.
    /// The container stays open, to be found by its identifier, until ``close()``.
    ///
    /// - Parameters:
    ///   - identifier: as `iCloud.org.example.notes`; 1 to 255 bytes.
    ///   - environment: what saving a new field means.
    ///   - folder: where the stores are; it is made where it is missing, for its owner alone.
    ///   - key: opens both stores, and seals the secret of the container; the same each time.
    ///   - accountsKey: opens the store of the accounts, and seals that secret, instead of `key`.
    ///   - deletionDays: for how many days, 1 to 36500, ``tidy()`` leaves it remembered what was
    ///     deleted.
    /// - Throws: ``CKError``: `notAuthenticated` where a key is not the right one;
    ///   `invalidArguments` for an identifier that cannot be; `internalError` where the stores
    ///   cannot be opened, or do not belong together; `serviceUnavailable` where others hold them.
    /// - Complexity: a key that is a password is stretched up to three times.
    public static func open(
        identifier: String, environment: Environment = .development, at folder: String,
        key: StoreKey, accountsKey: StoreKey? = nil, deletionDays: Int = 30
    ) async throws -> CKContainer {
        let queue = DispatchQueue(label: "bulla.records.open")
        do throws(RecordError) {
            let opened = try await queue.run { () throws(RecordError) in
                try open(
                    identifier, environment, folder, key, accountsKey ?? key,
                    RecordLimits(deletionDays: deletionDays))
            }
            OpenContainers.add(opened)
            return CKContainer(opened)
        } catch { throw CKError(error) }
    }

    private static func open(
        _ identifier: String, _ environment: Environment, _ folder: String, _ key: StoreKey,
        _ accountsKey: StoreKey, _ limits: RecordLimits
    ) throws(RecordError) -> OpenContainer {
        guard (1...255).contains(identifier.utf8.count) else {
            throw RecordError(
                .invalidArguments, "open a container: an identifier has 1 to 255 bytes")
        }
        guard RecordLimits.deletionDayRange.contains(limits.deletionDays) else {
            throw RecordError(
                .invalidArguments,
                "open a container: deletions are remembered for 1 to 36500 days")
        }
        let place = Place(identifier, environment == .development ? .development : .production)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw RecordError(.internalError, "open container \(identifier.told): no folder")
        }
        let records = try store(folder + "/records.bulla", key)
        let accounts = try store(folder + "/accounts.bulla", accountsKey)
        let keyring = AccountKeyring(accounts)
        let core = try RecordCore.open(
            EmbeddedBackend(records), keyring, place, key: accountsKey, limits: limits,
            clock: { Date().milliseconds ?? 0 })
        let resolved = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        return OpenContainer(core, keyring, [records, accounts], folder: resolved)
    }

    private static func store(
        _ path: String, _ key: StoreKey
    ) throws(RecordError) -> Store {
        do throws(BullaError) { return try Store.open(at: path, key: key) } catch {
            throw RecordError.refined(error, "open \(path)")
        }
    }

    /// Forgets what its time is over for, in this container: deletions, as
    /// ``open(identifier:environment:at:key:accountsKey:deletionDays:)`` says, and files that were
    /// uploaded an hour ago, and came into no record.
    ///
    /// Nothing does so by itself: a program calls it now and then. Whoever follows a zone from
    /// before a deletion that is forgotten is told ``CKError/Code/changeTokenExpired``.
    ///
    /// - Throws: ``CKError``: `badContainer`; `serviceUnavailable`.
    /// - Complexity: in the zones of the container, and in what is forgotten.
    public func tidy() async throws {
        try await run { open throws(RecordError) in
            try open.core.forgetDeletions()
            try open.core.freeOrphans()
        }
    }

    /// Ends all sessions of this container, wipes its keys, and closes its stores.
    ///
    /// Waits for what is under way. Closing twice is harmless.
    ///
    /// - Throws: ``CKError`` with `serviceUnavailable` where something is under way for too long.
    public func close() async throws {
        guard let open = try? open() else { return }
        OpenContainers.remove(open)
        let queue = DispatchQueue(label: "bulla.records.close")
        do throws(BullaError) {
            try await queue.run { () throws(BullaError) in try open.close() }
        } catch { throw CKError(RecordError.refined(error, "close a container")) }
    }
}
