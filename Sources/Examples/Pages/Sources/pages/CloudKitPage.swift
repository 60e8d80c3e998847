import Bulla
import BullaRecords
import Foundation

/// The sample of `ComingFromCloudKit.md`.
struct CloudKitPage {
    static let source = #filePath

    func run() async throws {
        try await inFolder("Overview") {
            let bytes = (0..<64).map { _ in UInt8.random(in: .min ... .max) }
            let isMade = FileManager.default.createFile(
                atPath: "records.key", contents: Data(bytes),
                attributes: [.posixPermissions: 0o600])
            guard isMade else { throw CocoaError(.fileWriteUnknown) }
            try await overview()
        }
    }

    private func overview() async throws {
        let key = try await StoreKey(contentsOfFile: "records.key")
        let container = try await CKContainer.open(
            identifier: "iCloud.org.example.notes", at: "notes", key: key)
        let user = try await container.createAccount(unlockedBy: .password(Secret("correct horse")))
        try await container.signIn(user, with: .password(Secret("correct horse")))

        let database = container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneName: "myZone"))
        let record = CKRecord(
            recordType: "Note",
            recordID: CKRecord.ID(
                recordName: "first", zoneID: CKRecordZone.ID(zoneName: "myZone")))
        record["title"] = "seen by the service"
        record.encryptedValues["body"] = "seen by its owner alone"
        try await database.save(record)

        let saved = try await database.record(for: record.recordID)
        guard saved.encryptedValues["body"] as? String == "seen by its owner alone" else {
            throw CocoaError(.fileReadCorruptFile)
        }
        try await container.close()
    }
}
