import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Shares and what is expected of them")
struct ShareModelTests {
    /// The expected state of the zone.
    private struct Model {
        var isShared = false
        var permissions: [UInt8: SharePermission] = [:]
        var accepted: Set<UInt8> = []
        var values: [String: Int64] = [:]
    }

    @Test("Three accounts that join, leave and write see what they should", arguments: 1...6)
    func randomSteps(seed: Int) throws {
        var random = TestRandom(seed: seed)
        let (fixture, other) = try {
            let fixture = try CoreFixture()
            return (fixture, try CoreFixture(sharing: fixture))
        }()
        let owner = try fixture.database(1)
        try fixture.publish(2, 3)
        var model = Model()
        var token = ""
        for step in 0..<120 {
            let number = random.pick([2, 3] as [UInt8])
            switch random.below(8) {
            case 0:
                var wanted: [UInt8: SharePermission] = [:]
                for account: UInt8 in [2, 3] where random.isOne(in: 2) {
                    wanted[account] = random.pick(SharePermission.allCases)
                }
                token = try fixture.token(of: owner.share(with: wanted).record)
                (model.isShared, model.permissions) = (true, wanted)
                model.accepted.formIntersection(wanted.keys)
            case 1 where random.isOne(in: 3):
                #expect(try owner.delete(ZoneSharing.recordName).code == nil)
                model = Model(values: model.values)
            case 2, 3:
                let isNamed = model.permissions[number] != nil
                let keys = try other.account(number)
                let error = try refused { try other.core.shares.accept(token, .account(keys)) }
                #expect(error?.code == (isNamed ? nil : .unknownItem), "step \(step)")
                if isNamed { model.accepted.insert(number) }
            case 4 where random.isOne(in: 2):
                let isNamed = model.permissions[number] != nil
                let error = try refused { try other.view(number).deleteZone("notes") }
                #expect(error?.code == (isNamed ? nil : .zoneNotFound), "step \(step)")
                model.permissions[number] = nil
                model.accepted.remove(number)
            default:
                let writer = random.pick([1, 2, 3] as [UInt8])
                try write(writer, Int64(step), &random, &model, owner, other)
            }
            try check(model, owner, other, step)
        }
    }

    private func write(
        _ writer: UInt8, _ value: Int64, _ random: inout TestRandom, _ model: inout Model,
        _ owner: DatabaseView, _ other: CoreFixture
    ) throws {
        let (view, name) = (writer == 1 ? owner : try other.view(writer), "r\(random.below(6))")
        let save = RecordChange.Save("Note", .none, fields: ["s": .sealed(.int64(value))])
        let error = try refused { try view.modify([RecordChange(name, .save(save))], in: "notes") }
        let expected: RecordError.Code? =
            writer == 1
            ? nil
            : !model.accepted.contains(writer)
                ? .zoneNotFound
                : model.permissions[writer] == .readOnly ? .permissionFailure : nil
        #expect(error?.code == expected)
        if error == nil { model.values[name] = value }
    }

    private func check(
        _ model: Model, _ owner: DatabaseView, _ other: CoreFixture, _ step: Int
    ) throws {
        for account: UInt8 in [1, 2, 3] {
            let view = account == 1 ? owner : try other.view(account)
            guard account == 1 || model.accepted.contains(account) else {
                #expect(try refused { try view.records([], in: "notes") }?.code == .zoneNotFound)
                #expect(try view.zones().isEmpty, "step \(step)")
                continue
            }
            if account != 1 { #expect(try view.zones().count == 1) }
            var values: [String: Int64] = [:]
            for (name, record) in try view.changes(in: "notes").changed {
                let record = try record.get()
                guard case .int64(let value) = try record.value(of: "s") else { continue }
                values[name] = value
            }
            #expect(values == model.values, "step \(step)")
        }
        #expect(try owner.has(ZoneSharing.recordName) == model.isShared)
    }
}
