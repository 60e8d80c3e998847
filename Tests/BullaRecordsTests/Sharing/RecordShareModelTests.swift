import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Shares of records and what is expected of them")
struct RecordShareModelTests {
    /// The expected state of the zone.
    private struct Model {
        struct Entry: Hashable {
            var value: String
            var parent: String?
        }

        struct Share: Hashable {
            var root: String
            var permissions: [UInt8: SharePermission]
            var accepted: Set<UInt8> = []
            var token: String
        }

        var records: [String: Entry] = [:]
        var shares: [String: Share] = [:]

        /// The name of the share to which a record belongs.
        func share(of name: String) -> String? {
            var (next, steps): (String?, Int) = (name, 0)
            while let place = next, steps < 100 {
                if let share = shares.first(where: { $0.value.root == place }) { return share.key }
                (next, steps) = (records[place]?.parent, steps + 1)
            }
            return nil
        }

        func isBelow(_ name: String, _ ancestor: String) -> Bool {
            var (next, steps): (String?, Int) = (name, 0)
            while let place = next, steps < 100 {
                if place == ancestor { return true }
                (next, steps) = (records[place]?.parent, steps + 1)
            }
            return false
        }

        /// Whether this record, or one below it, is the root of a share.
        func hasRootBelow(_ name: String) -> Bool {
            shares.values.contains { isBelow($0.root, name) }
        }

        func hasChildren(_ name: String) -> Bool {
            records.values.contains { $0.parent == name }
        }

        func permission(_ number: UInt8, _ share: String?) -> SharePermission? {
            guard let share = share.flatMap({ shares[$0] }), share.accepted.contains(number) else {
                return nil
            }
            return share.permissions[number]
        }

        /// The values that an account sees.
        func visible(to number: UInt8) -> [String: String] {
            records.filter { name, _ in
                number == 1 || permission(number, share(of: name)) != nil
            }.mapValues(\.value)
        }
    }

    /// What one run of steps works with.
    private struct Run {
        let fixture: CoreFixture
        /// Another process over the same store, for the participants.
        let other: CoreFixture
        let owner: DatabaseView
        var model = Model()
        var random: TestRandom
        var followers: [UInt8: Follower] = [:]

        init(seed: Int) throws {
            fixture = try CoreFixture()
            other = try CoreFixture(sharing: fixture)
            owner = try fixture.database(1)
            random = TestRandom(seed: seed)
            try fixture.publish(2, 3)
            for name in ["r0", "r1", "r2"] { try save(1, name, "first", step: 0) }
        }

        func view(_ number: UInt8) throws -> DatabaseView {
            number == 1 ? owner : try other.view(number)
        }

        var names: [String] { (0..<8).map { "r\($0)" } }

        mutating func save(_ number: UInt8, _ name: String, _ value: String, step: Int) throws {
            let isNew = model.records[name] == nil
            var parent: String??
            if isNew || random.isOne(in: 3) {
                let some = model.records.keys.sorted()
                parent = .some(random.isOne(in: 4) || some.isEmpty ? nil : random.pick(some))
            }
            let change: RecordChange.ParentChange? = parent.map { parent in
                parent.map { .record(owner.identifier($0)) } ?? RecordChange.ParentChange.none
            }
            let error = try refused {
                _ = try view(number).save(
                    name, ["s": .sealed(.string(value))], parent: change
                ).record
            }
            let next = Model.Entry(value: value, parent: parent ?? model.records[name]?.parent)
            let mayDo = mayStore(number, name, next)
            #expect(
                (error == nil) == mayDo, "step \(step): \(number) saves \(name): \(error as Any)")
            if error == nil { model.records[name] = next }
        }

        /// Whether the model lets an account save a record.
        private func mayStore(_ number: UInt8, _ name: String, _ next: Model.Entry) -> Bool {
            let former = model.records[name]
            var after = model
            after.records[name] = next
            let share = after.share(of: name)
            let isRoot = model.shares.values.contains { $0.root == name }
            if let parent = next.parent, !(isRoot && number != 1) {
                guard model.records[parent] != nil else { return false }
                if isRoot { if after.share(of: parent) != nil { return false } }
                // Outside of shares, nothing prevents a circle of parents.
                let isMember = former != nil && !isRoot && model.share(of: name) != nil
                if isMember, former?.parent != parent, model.isBelow(parent, name) { return false }
            }
            if !isRoot, share != nil, model.hasRootBelow(name) { return false }
            guard number != 1 else { return true }
            guard after.permission(number, share) == .readWrite else { return false }
            if isRoot, former?.parent != next.parent { return false }
            if former != nil {
                return model.permission(number, model.share(of: name)) == .readWrite
            }
            return true
        }

        mutating func delete(_ number: UInt8, _ name: String, step: Int) throws {
            guard model.records[name] != nil else { return }
            let share = model.share(of: name)
            let isRoot = model.shares.values.contains { $0.root == name }
            let error = try refused {
                if let error = try view(number).delete(name).error { throw error }
            }
            let isSeen = number == 1 || model.permission(number, share) != nil
            let mayWrite = number == 1 || model.permission(number, share) == .readWrite && !isRoot
            let isParent = share != nil && !isRoot && model.hasChildren(name)
            if isSeen {
                #expect(
                    (error == nil) == (mayWrite && !isParent),
                    "step \(step): \(number) deletes \(name): \(error as Any)")
            }
            guard error == nil, isSeen else { return }
            if isRoot { model.shares = model.shares.filter { $0.value.root != name } }
            model.records[name] = nil
        }

        mutating func share(step: Int) throws {
            let name = "s\(random.below(2))"
            var wanted: [UInt8: SharePermission] = [:]
            for account: UInt8 in [2, 3] where random.isOne(in: 2) {
                wanted[account] = random.pick(SharePermission.allCases)
            }
            let known = model.shares[name]
            let root = known?.root ?? random.pick(names)
            let result = try owner.share(name, of: root, with: wanted)
            let isFree =
                model.records[root] != nil
                && (known != nil
                    || model.share(of: root) == nil && !model.hasRootBelow(root)
                        && !model.isBelow(model.records[root]?.parent ?? "", root))
            #expect((result.error == nil) == isFree, "step \(step): \(result.error as Any)")
            guard case .saved(let record) = result else { return }
            let token = try fixture.token(of: record)
            var share = known ?? .init(root: root, permissions: [:], token: token)
            share.permissions = wanted
            share.accepted.formIntersection(wanted.keys)
            model.shares[name] = share
        }

        mutating func accept(_ number: UInt8, step: Int) throws {
            guard
                let (name, share) = model.shares.sorted(by: { $0.key < $1.key }).randomOne(&random)
            else { return }
            let session = try Session.account(other.account(number))
            let error = try refused { try other.core.shares.accept(share.token, session) }
            let isNamed = share.permissions[number] != nil
            #expect(error?.code == (isNamed ? nil : .unknownItem), "step \(step)")
            if isNamed { model.shares[name]?.accepted.insert(number) }
        }

        mutating func leave(_ number: UInt8, step: Int) throws {
            let name = "s\(random.below(2))"
            guard model.shares[name]?.accepted.contains(number) == true else { return }
            let error = try view(number).delete(name).error
            #expect(error == nil, "step \(step): \(error as Any)")
            model.shares[name]?.accepted.remove(number)
            model.shares[name]?.permissions[number] = nil
        }

        mutating func check(step: Int) throws {
            for number: UInt8 in [1, 2, 3] {
                let isIn =
                    number == 1 || model.shares.values.contains { $0.accepted.contains(number) }
                guard isIn else {
                    let error = try refused { try view(number).records([], in: "notes") }
                    #expect(error?.code == .zoneNotFound, "step \(step)")
                    followers[number] = nil
                    continue
                }
                let expected = model.visible(to: number)
                let readable = try view(number).readable(names)
                #expect(readable == Set(expected.keys), "step \(step): \(number)")
                // Followers that read only from time to time converge, too.
                guard random.isOne(in: 2) else { continue }
                var follower = try followers[number] ?? Follower(view(number))
                try follower.follow(limit: 1 + random.below(4))
                followers[number] = follower
                var told: [String: String] = [:]
                for (name, record) in follower.records where !record.isShare {
                    guard case .string(let value) = try record.value(of: "s") else { continue }
                    told[name] = value
                }
                #expect(told == expected, "step \(step): \(number) follows")
            }
        }
    }

    @Test("An owner and two participants see and do what they should", arguments: 1...8)
    func randomSteps(seed: Int) throws {
        var run = try Run(seed: seed)
        for step in 1...100 {
            let number = run.random.pick([1, 1, 2, 3] as [UInt8])
            let name = run.random.pick(run.names)
            switch run.random.below(10) {
            case 0: try run.share(step: step)
            case 1, 2: try run.accept(run.random.pick([2, 3]), step: step)
            case 3 where run.random.isOne(in: 3): try run.leave(number, step: step)
            case 4 where run.random.isOne(in: 2): try run.delete(number, name, step: step)
            default: try run.save(number, name, "\(step)", step: step)
            }
            try run.check(step: step)
        }
        #expect(try run.owner.verify("notes").fault(in: "notes") == nil)
    }
}

extension Array {
    fileprivate func randomOne(_ random: inout TestRandom) -> Element? {
        isEmpty ? nil : self[random.below(count)]
    }
}
