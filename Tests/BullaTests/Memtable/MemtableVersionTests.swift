import Bulla
import BullaMemory
import BullaTestSupport
import Dispatch
import Synchronization
import Testing

@Suite struct `A version of a memtable` {
    private static func key(_ number: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private static func filled(_ count: Int) throws -> (Memtable, MemtableModel) {
        let table = try Memtable(byteLimit: 64 << 20)
        var model = MemtableModel()
        var edit = try table.edit()
        for number in 0..<count {
            try edit.put(1, key(number), [1])
            model.put(1, key(number), [1])
        }
        table.settle(edit.publish())
        return (table, model)
    }

    private static func change(_ table: Memtable, _ number: Int, _ value: [UInt8]) throws {
        var edit = try table.edit()
        try edit.put(1, key(number), value)
        table.settle(edit.publish())
    }

    @Test func `of an empty memtable says nothing, and is held without a slot`() throws {
        let table = try Memtable(byteLimit: 1 << 20)
        #expect(table.newest.isEmpty)
        var holders: [HeldModel] = []
        for _ in 0..<10_000 {
            holders.append(try HeldModel(table, table.newest))
        }
        holders[0].read { view in
            #expect(view.isEmpty && !view.holds(tree: 0))
            var cursor = view.cursor(tree: 0)
            let isOn = cursor.moveToFirst() || cursor.moveToLast()
            #expect(!isOn && cursor.change == nil && cursor.key.byteCount == 0)
        }
    }

    @Test func `that changes nothing is the former one`() throws {
        let (table, model) = try Self.filled(10)
        let former = table.newest
        let edit = try table.edit()
        #expect(edit.publish() == former)
        _ = try HeldModel(table, former, model).check()
    }

    @Test func `that is held for thousands of others holds back its own pages and no more`() throws
    {
        let (table, model) = try Self.filled(20_000)
        let held = try HeldModel(table, table.newest, model)
        let count = held.check()
        var random = TestRandom(seed: 1)
        for round in 0..<6000 {
            try Self.change(table, random.below(20_000), [UInt8(round & 0xFF)])
            // Some waste is allowed until the next check, but it does not add up.
            #expect(table.statistics.pageCount < 4 * count + 1000)
        }
        table.reclaim()
        let newestCount = try HeldModel(table, table.newest).read { $0.checkInvariants() }
        #expect(table.statistics.pageCount <= held.check() + newestCount)
    }

    @Test func `that is let go gives its pages back`() throws {
        let (table, model) = try Self.filled(20_000)
        let before = table.statistics.pageCount
        do {
            let held = try HeldModel(table, table.newest, model)
            for number in 0..<2000 { try Self.change(table, number * 10, [2]) }
            table.reclaim()
            #expect(table.statistics.pageCount > before)
            _ = held.check()
        }
        table.reclaim()
        #expect(table.statistics.pageCount == before)
    }

    @Test func `between two that are held is not held back`() throws {
        let (table, model) = try Self.filled(5000)
        let old = try HeldModel(table, table.newest, model)
        for number in 0..<2000 { try Self.change(table, number, [2]) }
        let young = try HeldModel(table, table.newest)
        for number in 0..<2000 { try Self.change(table, number, [3]) }
        table.reclaim()
        let newest = try HeldModel(table, table.newest)
        let most =
            old.check() + [young, newest].reduce(0) { $0 + $1.read { $0.checkInvariants() } }
        #expect(table.statistics.pageCount <= most)
        _ = old.check()
    }

    @Test func `older than the settled one cannot be held anew, and others can`() throws {
        let (table, _) = try Self.filled(100)
        let first = table.newest
        var versions: [MemtableVersion] = []
        for value in 0..<50 {
            var edit = try table.edit()
            try edit.put(1, Self.key(value), [UInt8(value), 9])
            versions.append(edit.publish())
        }
        #expect(table.settled == first)
        table.settle(versions[20])
        table.settle(versions[10])
        #expect(table.settled == versions[20])
        #expect(throws: HeldModel.LetGo.self) { try HeldModel(table, versions[19]) }
        for index in 20..<50 {
            let held = try HeldModel(table, versions[index])
            for value in 0..<50 {
                let wanted: [UInt8] = value <= index ? [UInt8(value), 9] : [1]
                let isRight = held.read { view in
                    Self.key(value).withView { key in
                        MemtableModel.says(view.change(of: MemtableKey(tree: 1, key)), wanted)
                    }
                }
                #expect(isRight)
            }
        }
    }

    @Test func `can be held by a number of holders, and by no more`() throws {
        let (table, _) = try Self.filled(1)
        var holders: [HeldModel] = []
        var refusal: MemtableError?
        while refusal == nil, holders.count < 1 << 17 {
            do {
                holders.append(try HeldModel(table, table.newest))
            } catch { refusal = error as? MemtableError }
        }
        #expect(refusal == .tooManyHeld(limit: holders.count))
        holders.removeLast()
        holders.append(try HeldModel(table, table.newest))
    }

    @Test func `says nothing any more when the memory is wiped`() throws {
        let (table, _) = try Self.filled(5000)
        try HeldModel(table, table.newest).read { view in
            var cursor = view.cursor(tree: 1)
            let isOn = cursor.moveToFirst()
            table.wipe()
            #expect(Self.key(1).withView { view.change(of: MemtableKey(tree: 1, $0)) } == nil)
            var count = 0
            while cursor.moveToNext() { count += 1 }
            let isBack = cursor.moveToFirst() || cursor.moveToLast()
            #expect(isOn && count == 0 && !isBack)
        }
    }

    @Test func `is whole for threads that walk it while others are published`() throws {
        let table = try Memtable(byteLimit: 64 << 20)
        let (keyCount, versionCount, walkCount) = (700, 400, 300)
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 3) { worker in
            do {
                if worker == 0 {
                    try Self.write(table, keyCount, versionCount)
                } else {
                    try Self.walk(table, keyCount, walkCount, takesNewest: worker == 1)
                }
            } catch { failures.withLock { $0.append("\(worker): \(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
    }

    private static func write(_ table: Memtable, _ keyCount: Int, _ versionCount: Int) throws {
        for version in 0..<versionCount {
            var edit = try table.edit()
            for number in 0..<keyCount { try edit.put(1, key(number * 7), key(version)) }
            if version % 5 == 4 { continue }
            let published = edit.publish()
            if version % 3 == 0 { table.settle(published) }
        }
    }

    private struct TornVersion: Error {}

    private static func walk(
        _ table: Memtable, _ keyCount: Int, _ walkCount: Int, takesNewest: Bool
    ) throws {
        for _ in 0..<walkCount {
            guard let held = try table.hold(takesNewest ? table.newest : table.settled),
                !held.view.isEmpty
            else { continue }
            var cursor = held.view.cursor(tree: 1)
            var count = 0
            var values = Set<[UInt8]>()
            var isOn = cursor.moveToFirst()
            while isOn {
                if case .put(let value)? = cursor.change { values.insert(value.copied()) }
                count += 1
                isOn = cursor.moveToNext()
            }
            guard count == keyCount, values.count == 1 else { throw TornVersion() }
        }
    }
}
