import Bulla
import BullaTestSupport
import Testing

/// What checks and copies report, and what is left of them when they are stopped.
@Suite struct `Work on a whole store` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let entryCount = 5_000

    /// Makes a store with more pages, and more entries, than are processed between two reports.
    private func filled(_ kind: StoreKind) throws -> Store {
        let store = try kind.open(scratch.path("s.bulla"), pageByteCount: 4096)
        let value = [UInt8](repeating: 7, count: 1_200)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<Self.entryCount {
                try change.put(value, forKey: "key \(number)", in: tree)
            }
        }
        return store
    }

    private func expectGrowing(_ reports: [TaskProgress], upTo count: Int) {
        #expect(reports.count > 1)
        #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.completed <= $1.completed })
        #expect(reports.last?.completed == count)
    }

    @Test(arguments: StoreKind.allCases)
    func `tells how much of it is done`(kind: StoreKind) throws {
        let store = try filled(kind)
        let key = try kind.key()
        var reports: [TaskProgress] = []
        let check = try store.check { reports.append($0) }
        expectGrowing(reports, upTo: check.verifiedPageCount)
        #expect(reports.allSatisfy { $0.total != nil })
        reports = []
        let backup = try store.backup(to: scratch.path("b")) { reports.append($0) }
        expectGrowing(reports, upTo: backup.pageCount)
        #expect(reports.last?.fraction == 1)
        reports = []
        try store.compact(to: scratch.path("c"), key: key) { reports.append($0) }
        expectGrowing(reports, upTo: Self.entryCount)
        #expect(reports.allSatisfy { $0.total == Self.entryCount })
        reports = []
        try Store.restore(from: [scratch.path("b")], to: scratch.path("r"), key: key) {
            reports.append($0)
        }
        expectGrowing(reports, upTo: backup.pageCount)
        #expect(reports.allSatisfy { $0.total == nil })
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `that is stopped throws what stopped it, and leaves no file`(kind: StoreKind) throws {
        let store = try filled(kind)
        let (path, target, key) = (scratch.path("s.bulla"), scratch.path("x"), try kind.key())
        let backup = scratch.path("b")
        _ = try store.backup(to: backup)
        var count = 0
        let stop: (TaskProgress) throws(BullaError) -> Void = { _ throws(BullaError) in
            count += 1
            throw BullaError(.cancelled, "stop here")
        }
        var errors = [
            refusal { _ = try store.check(progress: stop) },
            refusal { _ = try store.backup(to: target, progress: stop) },
            refusal { try store.compact(to: target, key: key, progress: stop) },
            refusal { try Store.restore(from: [backup], to: target, key: key, progress: stop) },
        ]
        try store.close()
        errors.append(refusal { _ = try Store.check(at: path, key: key, progress: stop) })
        errors.append(
            refusal { _ = try Store.salvage(from: path, to: target, key: key, progress: stop) })
        #expect(errors.map { $0?.message } == Array(repeating: "stop here", count: 6))
        #expect(count == 6)
        #expect(!scratch.exists("x"))
        let again = try kind.open(path)
        #expect(try again.check().isSound)
        try again.close()
    }

    @Test func `has a total that is never less than what is done`() {
        #expect(TaskProgress(completed: 3, total: 2).total == 3)
        #expect(TaskProgress(completed: 1, total: 4).fraction == 0.25)
        #expect(TaskProgress(completed: 0, total: 0).fraction == 1)
        #expect(TaskProgress(completed: 5).fraction == nil)
        #expect(
            "\(TaskProgress(completed: 1, total: 4)), \(TaskProgress(completed: 5))" == "1 of 4, 5")
    }
}
