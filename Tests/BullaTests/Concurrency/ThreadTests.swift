import Bulla
import BullaTestSupport
import Foundation
import Testing

@Suite(.serialized) struct `Threads` {
    private let scratch: Scratch
    private static let rounds = TestMode.pick(short: 60, long: 3000)
    private static let accountCount = 400
    private static let balance: UInt64 = 1000

    init() throws { scratch = try Scratch() }

    private static func key(_ number: Int) -> [UInt8] { Array("account \(number)".utf8) }

    /// Makes a store of accounts; no transaction changes their sum.
    private func open(_ kind: StoreKind, cacheByteLimit: Int) throws -> Store {
        let store = try kind.open(scratch.path("s.bulla")) { options in
            options.cacheByteLimit = cacheByteLimit
        }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "accounts")
            for number in 0..<Self.accountCount {
                let padding = [UInt8](repeating: 0x2E, count: number % 300)
                try change.put(Self.balance.bytes + padding, forKey: Self.key(number), in: tree)
            }
        }
        return store
    }

    @Test(arguments: StoreKind.allCases, [4096, 64 << 20])
    func `that read beside one that writes see whole commits`(
        kind: StoreKind, cacheByteLimit: Int
    ) throws {
        let store = try open(kind, cacheByteLimit: cacheByteLimit)
        let done = Flag()
        try Crew.run(7) { index in
            guard index > 0 else {
                defer { done.raise() }
                return try transfer(store, rounds: Self.rounds, seed: 1)
            }
            var random = TestRandom(seed: UInt64(index))
            repeat { try look(store, &random) } while !done.isRaised
        }
        #expect(try store.check().isSound)
    }

    @Test(arguments: StoreKind.allCases)
    func `that all write take turns, and lose nothing`(kind: StoreKind) throws {
        let store = try open(kind, cacheByteLimit: 4096)
        let before = try store.info.commit
        let rounds = Self.rounds / 4
        try Crew.run(8) { index in try transfer(store, rounds: rounds, seed: UInt64(index)) }
        #expect(try store.info.commit == before + UInt64(8 * rounds))
        var random = TestRandom(seed: 1)
        try look(store, &random)
        #expect(try store.check().isSound)
    }

    @Test(arguments: StoreKind.allCases)
    func `that all miss in a small cache get what they ask for`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("wide.bulla")) { $0.cacheByteLimit = 4096 }
        let count = 20_000
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<count {
                try change.put(Self.key(number), forKey: Self.key(number), in: tree)
            }
        }
        let rounds = Self.rounds * 40
        try Crew.run(8) { index in
            var random = TestRandom(seed: UInt64(index))
            let snapshot = try store.makeSnapshot()
            let tree = try snapshot.tree(named: "t")
            for _ in 0..<rounds {
                let key = Self.key(random.below(count))
                let isIt = try snapshot.withValue(forKey: key, in: tree) { $0.equals(key) }
                guard isIt == true else { throw Wrong(what: "the value of \(key)") }
            }
        }
    }

    private struct Wrong: Error { let what: String }

    /// Moves amounts between accounts, and pads their values to other lengths.
    private func transfer(_ store: Store, rounds: Int, seed: UInt64) throws {
        var random = TestRandom(seed: seed + 100)
        for _ in 0..<rounds {
            let from = random.below(Self.accountCount)
            let to = (from + 1 + random.below(Self.accountCount - 1)) % Self.accountCount
            let padding = random.bytes(random.below(300))
            try store.write(durability: .relaxed(within: .milliseconds(100))) { change in
                let tree = try change.tree(named: "accounts")
                for (number, amount) in [(from, UInt64.max), (to, 1)] {
                    let value = try change.value(forKey: Self.key(number), in: tree) ?? []
                    let balance = value.load(UInt64.self, at: 0) &+ amount
                    try change.put(balance.bytes + padding, forKey: Self.key(number), in: tree)
                }
            }
        }
    }

    /// Adds up the accounts, by a scan or one by one.
    private func look(_ store: Store, _ random: inout TestRandom) throws {
        let isScan = random.isOne(in: 2)
        let sum = try store.read(visibility: random.isOne(in: 2) ? .durable : .published) {
            snapshot in
            let tree = try snapshot.tree(named: "accounts")
            var sum: UInt64 = 0
            if isScan {
                try snapshot.scan(tree) { _, value in
                    sum &+= value.copied().load(UInt64.self, at: 0)
                    return .next
                }
            } else {
                for number in 0..<Self.accountCount {
                    try snapshot.withValue(forKey: Self.key(number), in: tree) { value in
                        sum &+= value.copied().load(UInt64.self, at: 0)
                    }
                }
            }
            return sum
        }
        guard sum == Self.balance * UInt64(Self.accountCount) else {
            throw Wrong(what: "the sum is \(sum)")
        }
    }
}
