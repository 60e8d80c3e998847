import Bulla
import BullaTestSupport
import Foundation
import Testing

@Suite(.serialized) struct `Changes that share a commit` {
    private struct Undo: Error {}

    private let scratch: Scratch
    private static let rounds = TestMode.pick(short: 40, long: 2000)

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind = .gcm, lockTimeout: Duration = TestMode.patience) throws
        -> Store
    {
        let store = try kind.open(scratch.path("s.bulla")) { $0.lockTimeout = lockTimeout }
        try store.write { change in try change.openOrCreateTree(named: "t") }
        return store
    }

    private func count(_ store: Store) throws -> Int {
        try store.read { try $0.count(of: try $0.tree(named: "t")) }
    }

    @Test(arguments: StoreKind.allCases)
    func `are all there, each as its thread made it`(kind: StoreKind) throws {
        let store = try open(kind)
        let before = try store.info.commit
        try Crew.run(8) { index in
            for round in 0..<Self.rounds {
                let sum = try store.groupWrite { change in
                    let tree = try change.tree(named: "t")
                    try change.put("v", forKey: "\(index) \(round)", in: tree)
                    return index + round
                }
                #expect(sum == index + round)
                // Acknowledged changes are durable, and so visible.
                let key = "\(index) \(round)"
                #expect(try store.read { try $0.contains(key, in: try $0.tree(named: "t")) })
            }
        }
        #expect(try count(store) == 8 * Self.rounds)
        #expect(try store.info.commit <= before + UInt64(8 * Self.rounds))
        #expect(try store.check().isSound)
    }

    @Test func `are sealed together when they had to wait for another`() throws {
        let store = try open()
        let held = try store.beginWrite()
        let before = try store.info.commit
        let done = Flag()
        Thread.detachNewThread {
            try? Crew.run(20) { index in
                try store.groupWrite { change in
                    try change.put("v", forKey: "\(index)", in: try change.tree(named: "t"))
                }
            }
            done.raise()
        }
        while store.group.lineCount < 20 { Thread.sleep(forTimeInterval: 0.001) }
        _ = consume held
        while !done.isRaised { Thread.sleep(forTimeInterval: 0.001) }
        #expect(try count(store) == 20)
        #expect(try store.info.commit == before + 1)
    }

    @Test func `do not fail with one that throws`() throws {
        let store = try open()
        try Crew.run(8) { index in
            for round in 0..<Self.rounds {
                let isUndone = (index + round) % 3 == 0
                do {
                    try store.groupWrite { change in
                        try change.put(
                            "v", forKey: "\(index) \(round)", in: try change.tree(named: "t"))
                        if isUndone { throw Undo() }
                    }
                    #expect(!isUndone)
                } catch is Undo { #expect(isUndone) }
            }
        }
        let expected = (0..<8).flatMap { index in
            (0..<Self.rounds).filter { (index + $0) % 3 != 0 }
        }
        #expect(try count(store) == expected.count)
        #expect(try store.check().isSound)
    }

    @Test func `are refused when nobody gets the lock`() throws {
        let store = try open(lockTimeout: .milliseconds(50))
        let held = try store.beginWrite()
        try Crew.run(4) { index in
            let error = refusal {
                try store.groupWrite { change in
                    try change.put("v", forKey: "\(index)", in: try change.tree(named: "t"))
                }
            }
            #expect(error?.code == .busy)
        }
        _ = consume held
        // And no waiter is left.
        #expect(store.group.lineCount == 0)
        try store.groupWrite { change in
            try change.put("v", forKey: "a", in: try change.tree(named: "t"))
        }
        #expect(try count(store) == 1)
    }

    /// The inner change would wait forever for the commit, which waits for that change.
    @Test func `are refused inside of one another`() throws {
        let store = try open(lockTimeout: .milliseconds(50))
        let error = refusal {
            try store.groupWrite { change in
                try change.put("v", forKey: "a", in: try change.tree(named: "t"))
                try store.groupWrite { change in
                    try change.put("v", forKey: "b", in: try change.tree(named: "t"))
                }
            }
        }
        #expect(error?.code == .busy)
        try store.groupWrite { change in
            try change.put("v", forKey: "c", in: try change.tree(named: "t"))
        }
        #expect(try count(store) == 1)
    }

    @Test func `wait for the flush that they asked for, each for its own`() throws {
        let store = try open()
        try Crew.run(6) { index in
            let durability: Durability =
                index % 3 == 1 ? .relaxed(within: .milliseconds(20)) : .full
            for round in 0..<Self.rounds {
                let key = "\(index) \(round)"
                try store.groupWrite(durability: durability) { change in
                    try change.put("v", forKey: key, in: try change.tree(named: "t"))
                }
                let visibility: SnapshotVisibility = index % 3 == 1 ? .published : .durable
                #expect(
                    try store.read(visibility: visibility) {
                        try $0.contains(key, in: try $0.tree(named: "t"))
                    })
            }
        }
        try store.write { _ in }
        #expect(try count(store) == 6 * Self.rounds)
    }

    /// Acknowledging changes that were lost with the shared transaction would be wrong.
    @Test func `are not acknowledged when one of them ends what they share`() throws {
        let store = try open()
        let other = try StoreKind.gcm.open(scratch.path("other.bulla"))
        let error = refusal {
            try store.groupWrite { change in
                try change.put("v", forKey: "a", in: try change.tree(named: "t"))
                change = try other.beginWrite()
            }
        }
        #expect(error?.code == .invalidArgument)
        try store.groupWrite { change in
            try change.put("v", forKey: "b", in: try change.tree(named: "t"))
        }
        #expect(try store.check().isSound)
    }

    @Test func `of a store that is closed, or open for reading, are refused`() throws {
        let store = try open()
        try store.close()
        #expect(refusal { try store.groupWrite { _ in } }?.code == .closed)
        let reader = try StoreKind.gcm.open(scratch.path("s.bulla")) { $0.access = .readOnly }
        let error = refusal {
            try reader.groupWrite { change in _ = try change.openOrCreateTree(named: "u") }
        }
        #expect(error?.code == .readOnly)
    }

    /// This works however few threads tasks have, because a waiting task holds no thread.
    @Test func `of tasks share it too`() async throws {
        let store = try open()
        let held = try store.beginWrite()
        let before = try store.info.commit
        async let tasks: Void = withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    try await store.groupWrite { change in
                        try change.put("v", forKey: "\(index)", in: try change.tree(named: "t"))
                    }
                }
            }
            try await group.waitForAll()
        }
        while store.group.lineCount < 40 { try await Task.sleep(for: .milliseconds(1)) }
        _ = consume held
        try await tasks
        #expect(try count(store) == 40)
        #expect(try store.info.commit == before + 1)
    }
}
