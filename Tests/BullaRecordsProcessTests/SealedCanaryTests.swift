import Bulla
import BullaProcessSupport
import BullaRecords
import BullaRecordsWorker
import BullaTestSupport
import Foundation
import Testing

/// Before each test, a process puts canaries into everything that is sealed, and ends.
@Suite("What a container has sealed")
struct SealedCanaryTests {
    private let crew: TrialCrew
    private let folder: String
    private let lots: [CanaryValues]
    private let indexed: CanarySearch
    private let account: AccountIdentifier

    init() throws {
        crew = try TrialCrew()
        folder = crew.folder
        let seed = Int.random(in: 1..<1 << 40)
        lots = (0..<3).map { CanaryValues(seed: seed + $0) }
        indexed = CanarySearch([Array(CanaryValues.indexed(seed: seed).utf8)])
        try FileManager.default.createDirectory(
            atPath: crew.scratch.path("temporary"), withIntermediateDirectories: false)
        let worker = try crew.worker("canary", "scratch=\(folder)", "seed=\(seed)")
        let said = try worker.values()
        try crew.expectEnd(of: worker)
        let user = try #require(said.keys.first)
        account = try #require(AccountIdentifier(userRecordName: user))
    }

    /// A search for all values, and for the keys under which they are stored.
    private func search() throws -> CanarySearch {
        let site = try crew.site()
        let password = try StoreKey.password(Secret(lots[2].password))
        let zone = CanaryJob.zoneID.zoneName
        let keys = try KeyCanaries(site, account, password, zone: zone).keys
        #expect(keys.count == 3)
        let record = try site.view(account, password).records(["first"], in: zone)[0].get()
        guard case .asset(let asset) = try record.value(of: "asset") else {
            throw RecordError(.unknownItem, "there is no asset")
        }
        try site.close()
        let others = keys + [asset.key, asset.digest]
        return CanarySearch(spelledOut: lots.flatMap(\.secrets) + others.map { [$0] })
    }

    /// The canaries that a search finds in some bytes; it must also find one that is planted there.
    private func look(in bytes: [UInt8], for search: CanarySearch) throws -> Set<Int> {
        let secrets = lots.flatMap(\.secrets)
        let index = Int.random(in: secrets.indices)
        let spelling = try #require(secrets[index].randomElement())
        var planted = bytes
        planted.insert(
            contentsOf: [9] + spelling + [9], at: Int.random(in: 0...bytes.count))
        #expect(search.found(in: planted).contains(index), "\(index): \(spelling)")
        return search.found(in: bytes)
    }

    @Test("is in no file in the clear: stores, backups, logs, temporary files, exports")
    func files() throws {
        let search = try search()
        let names = try crew.scratch.names()
        for name in [
            "records.bulla", "accounts.bulla", "records.bulla.before", "accounts.bulla.after",
            "log", "schema",
        ] { #expect(names.contains(name)) }
        #expect(!names.contains("source"))
        for name in names where name != "temporary" {
            let bytes = try crew.scratch.bytes(name)
            #expect(try look(in: bytes, for: search).isEmpty, "\(name)")
            #expect(indexed.found(in: bytes).isEmpty, "\(name)")
        }
        let log = String(decoding: try crew.scratch.bytes("log"), as: UTF8.self)
        #expect(log.contains("backing up"))
        let left = try FileManager.default.contentsOfDirectory(
            atPath: crew.scratch.path("temporary"))
        #expect(left.isEmpty)
    }

    @Test("is in no row in the clear, not even with the keys of all stores")
    func rows() throws {
        let search = try search()
        let site = try crew.site()
        var stores = [try TrialRows(site.records), try TrialRows(site.accounts)]
        try site.close()
        for (name, key) in [
            ("records.bulla.before", UInt8(0)), ("records.bulla.after", 0),
            ("accounts.bulla.before", 1), ("accounts.bulla.after", 1),
        ] {
            let path = crew.scratch.path("restored-" + name)
            let key = try TrialSite.key(key)
            try Store.restore(from: [crew.scratch.path(name)], to: path, key: key)
            let store = try Store.open(at: path, key: key)
            stores.append(try TrialRows(store))
            try store.close()
        }
        var isIndexedFound: [Bool] = []
        for rows in stores {
            // The search also sees bytes that span two successive rows, which does no harm.
            let bytes = Array(rows.all.joined())
            #expect(try look(in: bytes, for: search).isEmpty)
            isIndexedFound.append(!indexed.found(in: bytes).isEmpty)
        }
        // A backend sees indexed values, so every store with records holds the indexed canary.
        #expect(isIndexedFound == [true, false, true, true, false, false])
    }

    @Test("is not in the memory of a process that reads all of it as a backend does")
    func memory() throws {
        let search = try search()
        let worker = try crew.worker("bare")
        let read = try worker.values()
        #expect(read["rows"] ?? 0 > 0 && read["records"] ?? 0 > 0)
        worker.child.signal(ChildProcess.stop)
        worker.child.waitUntilStopped()
        let memory = try ProcessMemory(worker.child.number)
        // All memory, which is more than a core dump would hold.
        #expect(try memory.canaries(search, in: memory.mappings).isEmpty)
        let dumped = memory.mappings.filter { $0.isDumped }
        #expect(try memory.canaries(indexed, in: dumped) == [0])
        worker.child.signal(ChildProcess.goOn)
        worker.child.closeInput()
        #expect(try worker.values()["bytes"] ?? 0 > 0)
        try crew.expectEnd(of: worker)
    }

    @Test("is found where it is in the clear, by the same search")
    func control() throws {
        let search = try search()
        for (index, spellings) in lots.flatMap(\.secrets).enumerated() {
            for form in spellings.flatMap({ [$0] + texts($0) }) {
                #expect(search.found(in: [9] + form + [9]) == [index], "\(form)")
            }
        }
    }

    /// A canary as text, in the forms in which it could be written.
    private func texts(_ bytes: [UInt8]) -> [[UInt8]] {
        let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()
        let base64 = (0..<3).map {
            Data([UInt8](repeating: 0, count: $0) + bytes).base64EncodedString()
        }
        let wide = bytes.flatMap { [$0, 0] as [UInt8] }
        return ([hexadecimal, hexadecimal.uppercased()] + base64).map { Array($0.utf8) }
            + [wide, [0] + wide.dropLast()]
    }
}
