#if Service && Remote
import Bulla
import BullaRecords
import BullaRecordsRemote
import Foundation
import Testing

@Suite("The sample of the page about the service")
struct RemoteSampleTests {
    @Test("saves a record through TLS")
    func runs() async throws {
        let service = try ServiceProcess(tls: true)
        let name = try service.account("alice")
        try await Self.sample(service.url, service.token, service.authorities)
        let container = try await service.container(name)
        let zone = CKRecordZone.ID(zoneName: "recipes")
        let bread = try await container.privateCloudDatabase.record(
            for: CKRecord.ID(recordName: "bread", zoneID: zone))
        #expect(bread.encryptedValues["secret"] == "a day of rest")
        try await container.close()
    }

    private static func sample(_ url: String, _ token: String, _ authorities: String) async throws {
        let access = try RecordServiceAccess(
            url: url, token: Secret(token), authorities: authorities)
        let container = try CKContainer.connect(
            identifier: "iCloud.org.example.notes", to: access)
        try await container.signIn(accountName: "alice", password: Secret("the password of alice"))

        let database = container.privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: "recipes"))
        let bread = CKRecord(
            recordType: "Recipe",
            recordID: CKRecord.ID(recordName: "bread", zoneID: zone.zoneID))
        bread.encryptedValues["secret"] = "a day of rest"
        try await database.save(bread)
    }

    @Test("is printed as it is compiled here")
    func printed() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("Sources/Bulla/Bulla.docc/RecordService.md"),
            encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().map { block in
            block.components(separatedBy: "```")[0]
        }
        try #require(blocks.count == 1)
        let lines = blocks[0].split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "        " + $0 }
        let compiled = try String(contentsOf: here, encoding: .utf8)
        #expect(compiled.contains(lines.joined(separator: "\n")))
    }
}
#endif
