import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("Operations on records")
struct OperationTests {
    private let context = WebSupport.context()

    @Test("An operation asks the core for what its name says")
    func changes() throws {
        let tag = try #require(ChangeTag(bytes: [UInt8](repeating: 7, count: 12)))
        for kind in RecordOperation.Kind.allCases {
            for sent in [nil, tag.text, "x"] {
                let request = try ModifyRequest(
                    try WebSupport.json(
                        "{\"operations\":[{\"operationType\":\"\(kind.rawValue)\",\"record\":{"
                            + (sent.map { "\"recordChangeTag\":\"\($0)\"," } ?? "")
                            + "\"recordName\":\"r\",\"recordType\":\"T\","
                            + "\"parent\":null,\"fields\":{"
                            + "\"a\":{\"value\":1},\"b\":{\"value\":null}}}}]}"), context)
                let operation = try #require(request.operations.first)
                let expected: RecordChange.Condition? =
                    switch (kind, sent) {
                    case (.create, _): .isNew
                    case (.forceUpdate, _), (.forceReplace, _), (.forceDelete, _):
                        RecordChange.Condition.none
                    case (.delete, nil): RecordChange.Condition.none
                    case (_, nil): .isNew
                    case (_, "x"): nil
                    default: .isUnchanged(tag)
                    }
                let change = try? operation.change(named: "r", type: "T")
                #expect(Self.condition(of: change) == expected)
                guard case .save(let save)? = change?.kind else {
                    #expect(kind.isDeletion || expected == nil)
                    continue
                }
                #expect(save.type == "T" && save.parent == RecordChange.ParentChange.none)
                #expect(save.isReplacing == (kind == .replace || kind == .forceReplace))
                let fields: [String: RecordChange.FieldChange?] = [
                    "a": RecordChange.FieldChange(.int64(1)), "b": nil,
                ]
                #expect(save.fields == fields)
            }
        }
    }

    /// A million combining characters, which take hours to compare or hash even once.
    private static let marks =
        "a" + String(repeating: "\u{301}", count: 500_000)
        + String(repeating: "\u{316}", count: 500_000)

    private func read(_ marked: String) throws(RecordError) -> RecordOperation? {
        func text(_ name: String, _ value: String) -> String {
            name == marked ? Self.marks : value
        }
        let request = try ModifyRequest(
            try WebSupport.json(
                """
                {"operations":[{"operationType":"\(text("operation", "create"))","record":{
                "recordName":"\(text("name", "r"))","recordType":"\(text("record type", "T"))",
                "fields":{"\(text("field", "a"))":{"value":"\(text("value", "x"))",
                "type":"\(text("type", "STRING"))"}}}}]}
                """), context)
        return request.operations.first
    }

    @Test(
        "A name of a million combining characters is refused",
        arguments: ["operation", "name", "record type", "field", "type"])
    func names(marked: String) throws {
        var fault: RecordError?
        do throws(RecordError) { fault = try read(marked)?.fault } catch { fault = error }
        let refused = try #require(fault)
        #expect(refused.code == .invalidArguments && refused.reason.utf8.count < 1000)
    }

    @Test("A value of a million combining characters is read")
    func value() throws {
        let operation = try #require(try read("value"))
        #expect(operation.fault == nil)
        guard case .string(let text)? = operation.fields.first?.value else {
            Issue.record("it is no text")
            return
        }
        #expect(text.utf8.elementsEqual(Self.marks.utf8))
    }

    private static func condition(of change: RecordChange?) -> RecordChange.Condition? {
        switch change?.kind {
        case .save(let save): save.condition
        case .delete(let condition): condition
        case nil: nil
        }
    }

    @Test("A fault of an operation is thrown where the core is to be asked")
    func faults() throws {
        let request = try ModifyRequest(
            try WebSupport.json(
                "{\"operations\":[{\"operationType\":\"create\",\"record\":{\"recordType\":\"T\","
                    + "\"fields\":{\"a\":1}}}]}"), context)
        let operation = try #require(request.operations.first)
        let fault = try #require(operation.fault)
        #expect(throws: fault) { try operation.change(named: "r", type: "T") }
    }
}
