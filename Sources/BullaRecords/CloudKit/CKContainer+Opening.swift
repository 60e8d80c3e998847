public import Bulla
internal import Dispatch
internal import Foundation

/// What Apple's servers do in CloudKit, and a program does itself here: storing a container's
/// records, and keeping its accounts.
extension CKContainer {
    /// Opens a container's stores, or creates them if there are none.
    ///
    /// Records are in `records.bulla` and accounts in `accounts.bulla`, so that a backup of one
    /// does not contain the other. Several containers, and several processes, can use the same
    /// folder. The container stays open, and is found by its identifier, until ``close()``.
    ///
    /// - Parameters:
    ///   - identifier: such as `iCloud.org.example.notes`; 1 to 255 bytes.
    ///   - environment: decides whether saving a record can extend the schema.
    ///   - folder: the folder of the stores; if it does not exist, it is created with access for
    ///     its owner only.
    ///   - key: opens both stores, and seals the container's secret; it must be the same at every
    ///     opening.
    ///   - accountsKey: used instead of `key` to open the accounts' store, and to seal the secret.
    ///   - deletionDays: the number of days, 1 to 36500, after which ``tidy()`` forgets a deletion.
    /// - Throws: ``CKError``: `notAuthenticated` if a key is wrong; `invalidArguments` for an
    ///   invalid identifier; `internalError` if the stores cannot be opened, or do not belong
    ///   together; `serviceUnavailable` if other processes block them.
    /// - Complexity: a password is stretched up to three times.
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
            throw RecordError(
                .internalError, "open container \(identifier.told): its folder cannot be made")
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

    /// Forgets what has expired in this container: deletions, as described at
    /// ``open(identifier:environment:at:key:accountsKey:deletionDays:)``, and files that were
    /// uploaded more than an hour ago and belong to no record.
    ///
    /// This does not happen automatically: a program should call it from time to time. A client
    /// whose change token is older than a forgotten deletion gets
    /// ``CKError/Code/changeTokenExpired``.
    ///
    /// - Throws: ``CKError``: `badContainer`; `serviceUnavailable`.
    /// - Complexity: linear in the number of the container's zones, and in the amount that is
    ///   forgotten.
    public func tidy() async throws {
        try await run { open throws(RecordError) in
            try open.core.forgetDeletions()
            try open.core.freeOrphans()
        }
    }

    /// Signs out the user, wipes the container's keys, and closes its stores.
    ///
    /// It waits for operations in progress. Closing twice is harmless.
    ///
    /// - Throws: ``CKError`` with `serviceUnavailable` if an operation takes too long.
    public func close() async throws {
        guard let open = try? open() else { return }
        OpenContainers.remove(open)
        let queue = DispatchQueue(label: "bulla.records.close")
        do throws(RecordError) {
            try await queue.run { () throws(RecordError) in try open.close() }
        } catch { throw CKError(error) }
    }
}
