import Bulla
import BullaMemory
import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

/// Requests answered by the core, as in the service.
@Suite("Records saved by requests")
struct SavedRecordTests {
    private let scratch: Scratch
    private let database: DatabaseView
    private let context = WebSupport.context()

    init() throws {
        scratch = try Scratch()
        let place = Place("iCloud.org.example.notes", .development)
        let core = try RecordCore(
            EmbeddedBackend(
                Store.open(at: scratch.path("records.bulla"), key: StoreKind.gcm.key())),
            ContainerKeys(place, Self.secret(3)),
            clock: { 1_700_000_000_000 })
        let keys = try AccountKeys(
            WebSupport.account, in: place, epoch: 1,
            serviceKey: Self.secret(4))
        database = try core.database(.private, .account(keys))
        try database.createZone("myZone")
    }

    /// A key of one byte, repeated 32 times.
    private static func secret(_ byte: UInt8) throws -> SecretBytes {
        var secret = try SecretBytes(byteCount: 32)
        secret.withMutableView { $0.fill(0, 32, with: byte) }
        return secret
    }

    @Test("The request of Apple's page is saved, and echoed with types and what is encrypted")
    func applesSample() throws {
        let answer = try modify(WebSamples.modify)
        let record = try #require(answer["records"]?.elements.first { _ in true })
        #expect(record["recordName"]?.string == "recordWithEncryptedFields")
        #expect(record["recordType"]?.string == "myRecordType")
        let text = RecordsAnswer(try read(["recordWithEncryptedFields"]))
            .bytes(WebSupport.form()).text
        let fields = joined(
            "\"fields\":{\"myDoubleField\":{\"value\":0.55,\"type\":\"DOUBLE\",",
            "\"isEncrypted\":true},",
            "\"myIntListField\":{\"value\":[123,456,789],\"type\":\"INT64_LIST\",",
            "\"isEncrypted\":true}},")
        let created = joined(
            "\"created\":{\"timestamp\":1700000000000,",
            "\"userRecordName\":\"_01010101010101010101010101010101\",")
        #expect(text.contains(fields) && text.contains(created))
    }

    @Test("A record is changed under its tag, and no more under a former one")
    func tags() throws {
        func request(_ value: String, _ tag: String) -> String {
            joined(
                "{\"zoneID\":{\"zoneName\":\"myZone\"},\"operations\":[{",
                "\"operationType\":\"update\",",
                "\"record\":{\"recordName\":\"r\",\"recordType\":\"T\"\(tag),",
                "\"fields\":{\"a\":{\"value\":\(value)}}}}]}")
        }
        let first = try #require(try tag(of: modify(request("1", ""))))
        let second = try #require(
            try tag(of: modify(request("2", ",\"recordChangeTag\":\"\(first)\""))))
        #expect(first != second)
        for tag in ["", ",\"recordChangeTag\":\"\(first)\"", ",\"recordChangeTag\":\"x\""] {
            let failed = try modify(request("3", tag))["records"]?.elements.first { _ in true }
            #expect(failed?["serverErrorCode"]?.string == "CONFLICT")
            #expect(failed?["recordName"]?.string == "r")
        }
        let removed = try modify(request("null", ",\"recordChangeTag\":\"\(second)\""))
        #expect(removed["records"]?.elements.first { _ in true }?["fields"]?.count == 0)
    }

    @Test("Only the fields that are desired are answered")
    func desiredKeys() throws {
        _ = try modify(WebSamples.modify)
        let name = "recordWithEncryptedFields"
        for (keys, count) in [(nil, 2), (["myDoubleField", "x"], 1), ([], 0)]
            as [(Set<String>?, Int)]
        {
            guard case .record(let record) = try read([name], desiredKeys: keys).first else {
                Issue.record("the record is there")
                continue
            }
            #expect(record.fields.count == count)
        }
    }

    /// Executes a request, and parses the answer's text.
    private func modify(_ text: String) throws -> JSONValue {
        let request = try ModifyRequest(try WebSupport.json(text), context)
        let answers = try request.operations.map { operation -> RecordAnswer in
            let name = try #require(operation.recordName)
            let type = try #require(operation.recordType)
            do throws(RecordError) {
                let change = try operation.change(named: name, type: type)
                switch try database.modify([change], in: operation.zone.name)[0] {
                case .saved(let record): return RecordAnswer(record)
                case .deleted: return .deleted(RecordIdentifier(name, in: operation.zone))
                case .failed(let error, _): throw error
                }
            } catch {
                return .failed(recordName: name, WebError(error))
            }
        }
        return try JSONText.read(RecordsAnswer(answers).bytes(WebSupport.form()))
    }

    private func read(
        _ names: [String], desiredKeys: Set<String>? = nil
    ) throws -> [RecordAnswer] {
        try database.records(names, in: "myZone").map {
            RecordAnswer(try $0.get(), desiredKeys: desiredKeys)
        }
    }

    private func tag(of answer: JSONValue) throws -> String? {
        answer["records"]?.elements.first { _ in true }?["recordChangeTag"]?.string
    }
}
