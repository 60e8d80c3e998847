import Bulla
package import BullaRecords
import BullaTestSupport
import Foundation
import Logging

/// Uses canaries in everything that a container does, and writes the whole log to a file.
///
/// There are three lots: canaries that are saved first, those that replace them, and those that are
/// saved after the keys were reset.
package struct CanaryJob {
    package static let zoneID = CKRecordZone.ID(zoneName: "Notes")

    /// One plain field can be queried; the other one cannot.
    private static let schema = """
        DEFINE SCHEMA
        RECORD TYPE Note ( indexed STRING QUERYABLE, plain STRING );
        """

    private let folder: String
    private let scratch: String
    private let seed: Int

    init(_ command: TrialCommand) throws {
        (folder, scratch) = (try command.text("folder"), try command.text("scratch"))
        seed = try command.number("seed")
    }

    func run() async throws {
        TemporaryFolder.use(scratch + "/temporary")
        let log = try TrialLog(scratch + "/log")
        LoggingSystem.bootstrap { TrialLogHandler(log, $0) }
        let lots = (0..<3).map { CanaryValues(seed: seed + $0) }
        let container = try await ClientJob.open(folder)
        let user = try await container.createAccount(unlockedBy: password(lots[0]))
        try await container.signIn(user, with: password(lots[0]))
        try await container.importSchema(Self.schema)
        let database = container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: Self.zoneID))
        try await save(lots[0], "first", in: database)
        try await save(lots[0], "second", in: database)
        try await change(container)
        try await save(lots[1], "first", in: database)
        try await database.deleteRecord(withID: id("second"))
        try await look(lots[1], in: database)
        try backUp("before")
        try await container.changeKey(
            of: user, from: password(lots[0]), to: password(lots[1]))
        try await container.resetEncryptedData(of: user, to: password(lots[2]))
        try await container.signIn(user, with: password(lots[2]))
        try await database.deleteRecordZone(withID: Self.zoneID)
        try await database.save(CKRecordZone(zoneID: Self.zoneID))
        try await save(lots[2], "first", in: database)
        try backUp("after")
        Line.say(user.recordName + "=1")
        try await container.close()
    }

    private func password(_ lot: CanaryValues) throws -> StoreKey {
        try StoreKey.password(
            Secret(lot.password), stretching: .pbkdf2(iterations: 600_000))
    }

    private func id(_ name: String) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: Self.zoneID)
    }

    private func save(
        _ lot: CanaryValues, _ name: String, in database: CKDatabase
    ) async throws {
        let record =
            (try? await database.record(for: id(name)))
            ?? CKRecord(recordType: "Note", recordID: id(name))
        let sealed = record.encryptedValues
        (sealed["text"], sealed["data"]) = (lot.text, lot.data)
        (sealed["number"], sealed["double"], sealed["date"]) = (lot.number, lot.double, lot.date)
        (sealed["place"], sealed["places"]) = (lot.place, lot.places)
        (sealed["texts"], sealed["datas"]) = (lot.texts, lot.datas)
        (sealed["numbers"], sealed["doubles"]) = (lot.numbers, lot.doubles)
        sealed["dates"] = lot.dates
        record["plain"] = lot.plain
        record["indexed"] = CanaryValues.indexed(seed: seed)
        let file = URL(fileURLWithPath: scratch + "/source")
        try lot.asset.write(to: file)
        record["asset"] = CKAsset(fileURL: file)
        record["assets"] = [CKAsset(fileURL: file)]
        try await database.save(record)
        try FileManager.default.removeItem(at: file)
    }

    /// Exports the schema, adds a field with an index, and imports it.
    private func change(_ container: CKContainer) async throws {
        let text = try await container.exportSchema()
        try Data(text.utf8).write(to: URL(fileURLWithPath: scratch + "/schema"))
        let start = "RECORD TYPE Note ("
        guard text.contains(start) else {
            throw WorkerFailure.impossible("the schema has no such type: \(text)")
        }
        try await container.importSchema(
            text.replacing(start, with: "\(start) added INT64 QUERYABLE,"))
    }

    /// Reads everything, including the files.
    private func look(_ lot: CanaryValues, in database: CKDatabase) async throws {
        let record = try await database.record(for: id("first"))
        guard record.encryptedValues["text"] as? String == lot.text,
            record.encryptedValues["numbers"] as? [Int64] == lot.numbers,
            record.encryptedValues["places"] as? [CKLocation] == lot.places,
            record["plain"] as? String == lot.plain, let asset = record["asset"] as? CKAsset,
            try await Data(contentsOf: asset.loadFile()) == lot.asset
        else { throw WorkerFailure.impossible("what was read is not what was saved") }
        let predicate = CKPredicate(
            format: "indexed == %@", CanaryValues.indexed(seed: seed))
        let query = CKQuery(recordType: "Note", predicate: predicate)
        let found = try await database.records(matching: query, inZoneWith: Self.zoneID)
        guard found.matchResults.count == 1 else {
            throw WorkerFailure.impossible("the query finds \(found.matchResults.count)")
        }
    }

    /// Backs up both stores, and lets them write their messages to the log.
    private func backUp(_ name: String) throws {
        for (path, key) in [
            (TrialSite.recordsPath(folder), try TrialSite.key(0)),
            (TrialSite.accountsPath(folder), try TrialSite.key(1)),
        ] {
            var options = StoreOptions()
            options.logger = Logger(label: "trial")
            options.logger?.logLevel = .trace
            let store = try Store.open(at: path, key: key, options: options)
            options.logger?.info("backing up", metadata: ["store": "\(path)"])
            _ = try store.backup(to: "\(path).\(name)")
            try store.close()
        }
    }
}
