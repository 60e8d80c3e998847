import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

/// What a client writes is what the service reads.
@Suite("Requests of a client")
struct ClientRequestTests {
    private let zone = WebSupport.zone
    private let context = WebSupport.context()

    private func read(_ request: ClientRequest) throws -> JSONValue {
        try JSONValue.request(request.body)
    }

    private static let values: [RecordValue] = [
        .string("\"quoted\" \u{1F600}\n"), .int64(.min), .double(-0.1),
        .timestamp(1_700_000_000_123),
        .bytes([0, 255]),
        .location(Location(latitude: 1.5, longitude: -2)),
        .reference(
            RecordReference(RecordIdentifier("other", in: WebSupport.zone), action: .validate)),
        .list(.string, [.string("a"), .string("")]), .list(.int64, []),
        .asset(WebSupport.descriptor(WebSupport.identifier(7), 9)),
    ]

    @Test("Changes are read as they were meant, with every kind of value and condition")
    func changes() throws {
        var fields: [String: RecordChange.FieldChange?] = ["gone": nil]
        for (number, value) in Self.values.enumerated() {
            let isEncrypted = value.kind.element.isSealable && number % 2 == 0
            fields["f\(number)"] = RecordChange.FieldChange(value, isEncrypted: isEncrypted)
        }
        let tag = try #require(ChangeTag(bytes: [UInt8](repeating: 9, count: 12)))
        let parent = RecordIdentifier("p", in: zone)
        for condition in [RecordChange.Condition.isNew, .isUnchanged(tag), .none] {
            let change = RecordChange(
                "r",
                .save(.init("Note", condition, fields: fields, parent: .record(parent))))
            let nothing = RecordChange.ParentChange.none
            let removal = RecordChange(
                "s", .save(.init("Note", condition, fields: [:], parent: nothing)))
            let request = ClientRequest.modify(
                [change, removal, RecordChange("t", .delete(condition))], in: zone,
                atomically: true, WebSupport.form())
            #expect(request.operation == .modifyRecords)
            let found = try ModifyRequest(read(request), context)
            #expect(found.zone == zone && found.atomic == true && found.operations.count == 3)
            guard condition != .isNew else { continue }
            let asked = try found.operations[0].change(named: "r", type: "Note")
            guard case .save(let save) = asked.kind else { throw WebSupportFault() }
            #expect(save.type == "Note" && save.condition == condition && !save.isReplacing)
            #expect(save.fields == fields && save.parent == .record(parent))
            let other = try found.operations[1].change(named: "s", type: "Note")
            #expect(other.kindOfParent == nothing)
            let deletion = try found.operations[2].change(named: "t", type: "")
            guard case .delete(condition) = deletion.kind else {
                Issue.record("it is deleted under its condition")
                continue
            }
        }
    }

    @Test("Shares are read with their participants, their invitations and what they share")
    func shares() throws {
        let invitation = WebSupport.identifier(9)
        for (participants, invitations, root) in [
            (nil, nil, nil), ([:], [:], "root"),
            (
                [WebSupport.stranger: .readWrite],
                [invitation: .init(.readOnly, expiry: .max)], nil
            ),
        ]
            as [(
                [AccountIdentifier: SharePermission]?,
                [RandomIdentifier: RecordChange.InvitationWish]?, String?
            )]
        {
            let save = RecordChange.Save(
                SystemType.share, .isNew, fields: [:], participants: participants, root: root,
                invitations: invitations)
            let request = ClientRequest.modify(
                [RecordChange("s", .save(save))], in: zone, atomically: true, WebSupport.form())
            let found = try ModifyRequest(read(request), context)
            let change = try found.operations[0].change(named: "s", type: SystemType.share)
            guard case .save(let read) = change.kind else { throw WebSupportFault() }
            #expect(read.participants == participants && read.invitations == invitations)
            #expect(read.root == root && read.type == SystemType.share)
        }
        for (accepts, operation) in [
            (false, ServiceOperation.resolveShares), (true, .acceptShares),
        ] {
            let request = ClientRequest.share("0a", accepts: accepts)
            #expect(request.operation == operation)
            let found = try SharesRequest(read(request), context)
            #expect(found.shortGUIDs.map(\.value) == ["0a"])
        }
        let discovery = try DiscoverRequest(read(.discover(WebSupport.stranger)), context)
        #expect(discovery.accounts == [WebSupport.stranger])
    }

    private struct WebSupportFault: Error {}

    @Test("A number that JSON has no text for is named before it is sent")
    func unsayable() {
        let field = RecordChange.FieldChange(.list(.double, [.double(.nan)]))
        let change = RecordChange("r", .save(.init("Note", .isNew, fields: ["x": field])))
        #expect(change.unsayableField == "x")
        #expect(RecordChange("r", .delete(.none)).unsayableField == nil)
        let filter = RecordQuery.Filter("y", .lessThan, [.double(.infinity)])
        #expect(RecordQuery("Note", filters: [filter]).unsayableField == "y")
    }

    @Test("A query is read with its filters, whatever they compare with, and its order")
    func queries() throws {
        let filters: [RecordQuery.Filter] = [
            .init("tags", .listContains, [.string("a")]),
            .init("tags", .listContainsAll, [.string("a"), .string("b")]),
            .init("due", .greaterThan, [.timestamp(5)]), .init("amount", .in, []),
            .init("n", .in, [.int64(1), .int64(2)]), .init("data", .beginsWith, [.bytes([1])]),
            .init(SystemField.createTime.name, .lessThan, [.timestamp(9)]),
            .init("title", .notEquals, [.string("x")]),
            .init(RecordQuery.Filter.everySearchedField, .containsAllTokens, [.string("a b")]),
            .init("title", .containsAnyTokens, [.string("a"), .string("b")]),
            .init(
                "place", .near,
                [.location(Location(latitude: 1.5, longitude: -2)), .double(1_000.0.nextDown)]),
        ]
        let origin = Location(latitude: 90, longitude: 0)
        let query = RecordQuery(
            "Note", filters: filters,
            sorts: [
                .init("due", isAscending: false), .init("n", isAscending: true),
                .init("place", from: origin),
            ])
        let request = ClientRequest.query(
            query, in: zone, after: [1, 2, 255], limit: 7, fields: ["a", "b"])
        let found = try QueryRequest(read(request), context)
        #expect(found.query == query && found.zone == zone && found.resultsLimit == 7)
        #expect(found.continuationMarker == [1, 2, 255] && found.desiredKeys == ["a", "b"])
    }

    @Test("Lookups and feeds are read with their tokens and limits")
    func feeds() throws {
        let lookup = try LookupRequest(
            read(.lookUp(["a", "b"], in: zone, fields: ["x"])), context)
        #expect(lookup.items.map(\.record) == ["a", "b"].map { RecordIdentifier($0, in: zone) })
        #expect(lookup.items.allSatisfy { $0.desiredKeys == ["x"] })
        let changes = try ZoneChangesRequest(
            read(.changes(in: zone, since: [3], limit: 4, fields: [], hasRecords: true)), context)
        #expect(changes.zone == zone && changes.syncToken == [3] && changes.resultsLimit == 4)
        #expect(changes.desiredKeys == [] && changes.hasRecords && changes.deletedTypes)
        let all = try ZoneChangesRequest(
            read(.changes(in: zone, since: nil, limit: nil)), context)
        #expect(all.syncToken == nil && all.desiredKeys == nil && !all.hasRecords)
        let database = try DatabaseChangesRequest(
            read(.databaseChanges(since: [5], limit: 6)), context)
        #expect(database.syncToken == [5] && database.resultsLimit == 6)
        #expect(database.deletionReasons)
    }

    @Test("Zones and uploads are read under their names")
    func zones() throws {
        let lookup = try ZonesLookupRequest(read(.lookUp(zone)), context)
        #expect(lookup.zones == [zone])
        for kind in ZonesModifyRequest.Operation.Kind.allCases {
            let change = try ZonesModifyRequest(read(.change(zone, kind)), context)
            #expect(change.operations.map(\.kind) == [kind])
            #expect(change.operations.map(\.zone) == [zone])
        }
        let field = AssetField("photo", of: "Note", named: "r", in: zone)
        let upload = try UploadRequest(read(.upload(for: field)), context)
        #expect(upload.zone == zone && upload.items.count == 1)
        #expect(upload.items[0].recordName == "r" && upload.items[0].recordType == "Note")
        #expect(upload.items[0].fieldName == "photo")
        #expect(!"\(ClientRequest.upload(for: field))".contains("photo"))
    }
}

extension RecordChange {
    fileprivate var kindOfParent: ParentChange? {
        if case .save(let save) = kind { save.parent } else { nil }
    }
}
