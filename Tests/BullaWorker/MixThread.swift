import Bulla
import BullaTestSupport

/// A thread of a mixing worker, and the model of the keys that only it changes.
struct MixThread {
    struct Result: Sendable {
        let increments: Int
        let digest: EntryDigest
    }

    private struct Abandoned: Error {}

    let store: Store
    let durability: Durability
    private let prefix: String
    private var random: TestRandom
    private var model: [Int: [UInt8]] = [:]
    private var increments = 0
    private var lastSeen: [UInt64]

    private static let ownedKeyCount = 60

    init(store: Store, durability: Durability, worker: Int, thread: Int) {
        self.store = store
        self.durability = durability
        prefix = MixLayout.ownedPrefix(worker: worker, thread: thread)
        random = TestRandom(seed: worker * 100 + thread + 1)
        lastSeen = Array(repeating: 0, count: MixLayout.counterCount)
    }

    mutating func step() throws {
        switch random.below(10) {
        case 0...1: try transfer()
        case 2...3: try increment()
        case 4...6: try changeOwned()
        case 7...8: try checkSnapshot()
        default: try checkHeldSnapshot()
        }
    }

    mutating func finish() throws -> Result {
        let model = modelDigest()
        guard try store.read(visibility: .published, { try ownedDigest($0) }) == model else {
            throw WorkerFailure.impossible("\(prefix): the keys differ from their model at the end")
        }
        return Result(increments: increments, digest: model)
    }

    /// Moves an amount between two accounts; sometimes rolls back half-way.
    private mutating func transfer() throws {
        let from = MixLayout.account(random.below(MixLayout.accountCount))
        let to = MixLayout.account(random.below(MixLayout.accountCount))
        let (link, amount, isAbandoned) = (random.next(), random.next() % 50, random.below(8) == 0)
        do {
            try store.write(durability: durability) { change in
                let accounts = try change.tree(named: MixLayout.accounts)
                let balance = try change.number(from, in: accounts)
                let moved = min(balance, amount)
                try change.put((balance - moved).bytes, forKey: from, in: accounts)
                if isAbandoned { throw Abandoned() }
                let target = try change.number(to, in: accounts)
                try change.put((target + moved).bytes, forKey: to, in: accounts)
                let linked = try change.tree(named: MixLayout.linked)
                try change.put(link.bytes, forKey: MixLayout.left, in: linked)
                try change.put(link.bytes, forKey: MixLayout.right, in: linked)
            }
        } catch is Abandoned {}
    }

    private mutating func increment() throws {
        let key = MixLayout.counter(random.below(MixLayout.counterCount))
        try store.write(durability: durability) { change in
            let counters = try change.tree(named: MixLayout.counters)
            try change.put(
                (try change.number(key, in: counters) + 1).bytes, forKey: key, in: counters)
        }
        increments += 1
    }

    private mutating func changeOwned() throws {
        var changes: [(Int, [UInt8]?)] = []
        for _ in 0...random.below(4) {
            changes.append((random.below(Self.ownedKeyCount), random.below(3) > 0 ? value() : nil))
        }
        try store.write(durability: durability) { change in
            let owned = try change.tree(named: MixLayout.owned)
            for (index, value) in changes {
                if let value {
                    try change.put(value, forKey: key(index), in: owned)
                } else {
                    try change.delete(key(index), in: owned)
                }
            }
        }
        for (index, value) in changes { model[index] = value }
    }

    private func key(_ index: Int) -> String { prefix + "\(index)" }

    /// A random value, mostly short, sometimes so long that it has pages of its own.
    private mutating func value() -> [UInt8] {
        random.uniqueBytes(random.below(20) == 0 ? 9000 + random.below(9000) : random.below(300))
    }

    // MARK: Reading

    /// Checks that the newest state is one that can have existed.
    ///
    /// Sums hold, links agree, counters never decrease, and the thread's own keys are as it left
    /// them.
    private mutating func checkSnapshot() throws {
        let snapshot = try store.makeSnapshot(visibility: .published)
        guard try isConsistent(snapshot) else {
            throw WorkerFailure.impossible("\(prefix): commit \(snapshot.commit) never was")
        }
        guard try ownedDigest(snapshot) == modelDigest() else {
            throw WorkerFailure.impossible("\(prefix): the keys differ from their model")
        }
        let counters = try snapshot.tree(named: MixLayout.counters)
        for index in lastSeen.indices {
            let number = try snapshot.number(MixLayout.counter(index), in: counters)
            guard number >= lastSeen[index] else {
                throw WorkerFailure.impossible("\(prefix): counter \(index) went back")
            }
            lastSeen[index] = number
        }
    }

    /// Checks that a snapshot does not change while other threads and this one write.
    private mutating func checkHeldSnapshot() throws {
        let snapshot = try store.makeSnapshot()
        let before = try snapshot.digest(of: MixLayout.owned)
        try changeOwned()
        try increment()
        guard try isConsistent(snapshot), try snapshot.digest(of: MixLayout.owned) == before else {
            throw WorkerFailure.impossible(
                "\(prefix): commit \(snapshot.commit) changed while held")
        }
    }

    private func isConsistent(_ snapshot: borrowing Snapshot) throws -> Bool {
        let linked = try snapshot.tree(named: MixLayout.linked)
        let total = UInt64(MixLayout.accountCount) * MixLayout.initialBalance
        return try snapshot.sum(of: MixLayout.accounts) == total
            && snapshot.number(MixLayout.left, in: linked)
                == snapshot.number(MixLayout.right, in: linked)
    }

    private func ownedDigest(_ snapshot: borrowing Snapshot) throws -> EntryDigest {
        try snapshot.digest(of: MixLayout.owned, .prefix(prefix))
    }

    private func modelDigest() -> EntryDigest {
        var digest = EntryDigest()
        for (index, value) in model {
            key(index).withBytes { key in value.withBytes { digest.add(key, $0) } }
        }
        return digest
    }
}
