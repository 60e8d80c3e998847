import BullaRecords
import BullaTestSupport
import Foundation
import Testing

@Suite("Assets of records")
struct RecordAssetTests {
    private let fixture: ContainerFixture
    private let database: CKDatabase

    init() async throws {
        fixture = try await ContainerFixture()
        database = try await fixture.database()
    }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> URL {
        let url = URL(fileURLWithPath: fixture.folder).appendingPathComponent(name)
        try Data(bytes).write(to: url)
        return url
    }

    private func bytes(of value: (any CKRecordValueProtocol)?) throws -> [UInt8] {
        let url = try #require(value as? CKAsset).loadFile()
        return [UInt8](try Data(contentsOf: url))
    }

    @Test("A file comes back as it was", arguments: [0, 1, 1 << 20, 5 << 19 + 1])
    func roundTrip(byteCount: Int) async throws {
        var random = TestRandom(seed: UInt64(byteCount))
        let content = random.bytes(byteCount)
        let url = try file("photo", content)
        let record = CKRecord.note("a")
        let asset = CKAsset(fileURL: url)
        record["photo"] = asset
        #expect(record["photo"] as? CKAsset === asset)
        #expect(record.changedKeys().contains("photo") && record.allKeys() == ["photo"])
        try await database.save(record)
        try FileManager.default.removeItem(at: url)
        #expect(record.changedKeys().isEmpty && record.allKeys() == ["photo"])
        #expect(try bytes(of: record["photo"]) == content)
        let read = try await database.record(for: record.recordID)
        #expect(try bytes(of: read["photo"]) == content)
        #expect(read.encryptedValues["photo"] == nil && read.allKeys() == ["photo"])
    }

    @Test("The public database keeps files too")
    func publicDatabase() async throws {
        let record = CKRecord(recordType: "Poster")
        record["photo"] = CKAsset(fileURL: try file("photo", [1, 2]))
        let everybodys = fixture.container.publicCloudDatabase
        try await everybodys.save(record)
        let read = try await everybodys.record(for: record.recordID)
        #expect(try bytes(of: read["photo"]) == [1, 2])
    }

    @Test("A file that was read is this user's alone, and goes with record and asset")
    func temporaryFiles() async throws {
        let saved = CKRecord.note("a")
        saved["photo"] = CKAsset(fileURL: try file("photo", [1, 2, 3]))
        try await database.save(saved)
        var read: CKRecord? = try await database.record(for: saved.recordID)
        let url = try #require((read?["photo"] as? CKAsset)?.fileURL)
        #expect((read?["photo"] as? CKAsset)?.fileURL == url)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        var asset = read?["photo"] as? CKAsset
        read = nil
        #expect(FileManager.default.fileExists(atPath: url.path) && asset != nil)
        asset = nil
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test("Lists hold assets, in their order")
    func lists() async throws {
        let assets = try (0..<3).map { index in
            CKAsset(fileURL: try file("f\(index)", [UInt8(index)]))
        }
        let record = CKRecord.note("a")
        record["all"] = assets
        record["same"] = NSArray(array: assets)
        #expect((record["all"] as? [CKAsset])?.elementsEqual(assets, by: ===) == true)
        try await database.save(record)
        let read = try await database.record(for: record.recordID)
        for key in ["all", "same"] {
            let found = try #require(read[key] as? [CKAsset])
            #expect(try found.map { try bytes(of: $0) } == [[0], [1], [2]])
        }
        read["all"] = [CKAsset]()
        try await database.save(read)
        #expect((read["all"] as? [CKAsset])?.isEmpty == true)
    }

    @Test("An asset that was read is saved again without its bytes, in other records too")
    func unchanged() async throws {
        let record = CKRecord.note("a")
        record["photo"] = CKAsset(fileURL: try file("photo", [4, 5, 6]))
        try await database.save(record)
        let read = try await database.record(for: record.recordID)
        let asset = try #require(read["photo"] as? CKAsset)
        // The content of the file does not matter: it is not read.
        try Data([9]).write(to: try await asset.loadFile())
        read["photo"] = asset
        try await database.save(read)
        let other = CKRecord.note("b")
        other["photos"] = [asset, CKAsset(fileURL: try file("second", [7]))]
        try await database.save(other)
        try await database.deleteRecord(withID: record.recordID)
        let found = try await database.record(for: other.recordID)["photos"] as? [CKAsset]
        #expect(try found?.map { try bytes(of: $0) } == [[4, 5, 6], [7]])
    }

    @Test("An asset of another container is taken up from there")
    func otherContainer() async throws {
        let record = CKRecord.note("a")
        record["photo"] = CKAsset(fileURL: try file("photo", [4, 5, 6]))
        try await database.save(record)
        let other = try await ContainerFixture()
        let theirs = try await other.database()
        let copy = CKRecord.note("copy")
        copy["photo"] = record["photo"] as CKAsset?
        try await theirs.save(copy)
        try await database.deleteRecord(withID: record.recordID)
        let read = try await theirs.record(for: copy.recordID)
        #expect(try bytes(of: read["photo"]) == [4, 5, 6])
    }

    @Test("All keys are saved with the assets among them, and another file takes one's place")
    func replacement() async throws {
        let record = CKRecord.note("a", "t")
        record["photo"] = CKAsset(fileURL: try file("photo", [1]))
        try await database.save(record)
        try await database.modifyRecords(saving: [record], savePolicy: .allKeys)
        #expect(try bytes(of: record["photo"]) == [1])
        let former = try await database.record(for: record.recordID)
        record["photo"] = CKAsset(fileURL: try file("other", [2]))
        try await database.save(record)
        #expect(try bytes(of: record["photo"]) == [2])
        // No record holds the former file any more.
        let gone = try #require(former["photo"] as? CKAsset)
        #expect(gone.fileURL == nil)
        try await expect(.assetNotAvailable) { try await gone.loadFile() }
        record["photo"] = nil
        try await database.save(record)
        #expect(try await database.record(for: record.recordID)["photo"] == nil)
    }

    @Test("Files that cannot be read fail their record, and its batch")
    func refusals() async throws {
        let folder = URL(fileURLWithPath: fixture.folder)
        let link = folder.appendingPathComponent("link")
        let target = try file("target", [8])
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let cases: [(URL?, CKError.Code)] = [
            (folder.appendingPathComponent("nowhere"), .assetFileNotFound),
            (folder, .assetFileNotFound),
            (URL(string: "https://www.swift.org/photo"), .invalidArguments),
        ]
        for (url, code) in cases {
            let (bad, good) = (CKRecord.note("bad"), CKRecord.note("good", "t"))
            bad["photo"] = CKAsset(fileURL: try #require(url))
            let saved = try await database.modifyRecords(saving: [good, bad]).saveResults
            #expect(saved[bad.recordID]?.code == code)
            #expect(saved[good.recordID]?.code == .batchRequestFailed)
        }
        let record = CKRecord.note("linked")
        record["photo"] = CKAsset(fileURL: link)
        try await database.save(record)
        #expect(try bytes(of: record["photo"]) == [8])
        let secret = CKRecord.note("secret")
        secret.encryptedValues["photo"] = CKAsset(fileURL: target)
        try await expect(.invalidArguments) { try await database.save(secret) }
    }

    @Test("A file with more bytes than an asset may have is refused")
    func limit() async throws {
        let url = try file("large", [])
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 50 << 20 + 1)
        try handle.close()
        let record = CKRecord.note("a")
        record["photo"] = CKAsset(fileURL: url)
        try await expect(.limitExceeded) { try await database.save(record) }
    }

    @Test("A closed container reads no more, and files that were read stay")
    func closing() async throws {
        let record = CKRecord.note("a")
        record["one"] = CKAsset(fileURL: try file("one", [1]))
        record["two"] = CKAsset(fileURL: try file("two", [2]))
        try await database.save(record)
        let (one, two) = (record["one"] as? CKAsset, record["two"] as? CKAsset)
        #expect(try bytes(of: one) == [1])
        try await fixture.container.close()
        #expect(try bytes(of: one) == [1])
        #expect(two != nil && two?.fileURL == nil && record["two"] == nil)
    }
}
