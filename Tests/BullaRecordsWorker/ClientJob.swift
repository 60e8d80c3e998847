package import BullaRecords
import BullaTestSupport
import Foundation

/// A program that caches what it saves, and uploads it again after another process has reset the
/// account's keys.
package struct ClientJob {
    package static let zoneID = CKRecordZone.ID(zoneName: "Notes")
    /// The client's local cache: texts by the names of records.
    package static let cache = Dictionary(
        uniqueKeysWithValues: (0..<20).map { ("r\($0)", "secret of \($0)") })

    private let folder: String
    private let user: CKRecord.ID

    init(_ command: TrialCommand) throws {
        folder = try command.text("folder")
        user = CKRecord.ID(recordName: try command.text("account"))
    }

    /// The container of a folder, opened the same way by this program and its test.
    package static func open(_ folder: String) async throws -> CKContainer {
        try await CKContainer.open(
            identifier: TrialSite.place.container, at: folder, key: TrialSite.key(0),
            accountsKey: TrialSite.key(1))
    }

    func run() async throws {
        let container = try await Self.open(folder)
        try await container.signIn(user, with: TrialSite.key(2))
        let database = container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: Self.zoneID))
        try await upload(to: database)
        let changes = try await database.recordZoneChanges(inZoneWith: Self.zoneID, since: nil)
        let zones = try await database.databaseChanges(since: nil)
        Line.say("ready")
        Line.await()
        try await notice(container, database)
        let error = await failure {
            try await database.recordZoneChanges(
                inZoneWith: Self.zoneID, since: changes.changeToken)
        }
        say("feed", error?.code == .zoneNotFound && Self.saysReset(error))
        let gone = try await database.databaseChanges(since: zones.changeToken).deletions
        say(
            "database",
            gone.contains { $0.zoneID == Self.zoneID && $0.reason == .encryptedDataReset })
        try await database.deleteRecordZone(withID: Self.zoneID)
        try await database.save(CKRecordZone(zoneID: Self.zoneID))
        let late = await failure {
            try await database.recordZoneChanges(
                inZoneWith: Self.zoneID, since: changes.changeToken)
        }
        say("token", late?.code == .changeTokenExpired)
        try await upload(to: database)
        Line.say("ready")
        Line.await()
        try await container.close()
    }

    /// Reports the errors that the client gets before it signs in again, and then those for its
    /// zone.
    private func notice(_ container: CKContainer, _ database: CKDatabase) async throws {
        let id = CKRecord.ID(recordName: "r0", zoneID: Self.zoneID)
        let session = await failure { try await database.record(for: id) }
        say("session", session?.code == .notAuthenticated)
        let former = await failure {
            try await container.signIn(user, with: TrialSite.key(2))
        }
        say("former", former?.code == .notAuthenticated)
        try await container.signIn(user, with: TrialSite.key(3))
        let read = await failure { try await database.record(for: id) }
        say("read", read?.code == .zoneNotFound && Self.saysReset(read))
        let write = await failure { try await database.save(Self.record("r0", "new")) }
        say("write", write?.code == .zoneNotFound && Self.saysReset(write))
    }

    private static func saysReset(_ error: CKError?) -> Bool {
        (error?.userInfo[CKErrorUserDidResetEncryptedDataKey] as? NSNumber)?.boolValue == true
    }

    private func upload(to database: CKDatabase) async throws {
        let records = Self.cache.map { Self.record($0.key, $0.value) }
        let results = try await database.modifyRecords(saving: records, deleting: [])
        for result in results.saveResults.values { _ = try result.get() }
    }

    private static func record(_ name: String, _ text: String) -> CKRecord {
        let id = CKRecord.ID(recordName: name, zoneID: zoneID)
        let record = CKRecord(recordType: "Note", recordID: id)
        record.encryptedValues["secret"] = text
        return record
    }

    private func say(_ name: String, _ isSo: Bool) { Line.say(name, isSo ? 1 : 0) }

    private func failure<R>(_ body: () async throws -> R) async -> CKError? {
        do { _ = try await body() } catch { return error as? CKError }
        return nil
    }
}
