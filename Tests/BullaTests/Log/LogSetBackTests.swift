import Bulla
import BullaTestSupport
import Synchronization
import Testing

/// An outsider overwrites the words of the coordination file that say how far a log reaches.
@Suite struct `The words beside a log, set back by a stranger` {
    private static let (checkpoint, announced, durable) = (192, 832, 896)
    private let scratch: Scratch
    private var world: String { "s.bulla-world" }

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s")) { $0.fixLog(halfByteCount: 64 << 10) }
    }

    private func put(
        _ number: Int, in store: Store, _ durability: Durability = .full
    ) throws {
        try store.write(durability: durability) { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.putNumbered(number..<number + 1, in: tree)
        }
    }

    private func count(_ store: Store, _ visibility: SnapshotVisibility = .published) throws -> Int
    {
        try store.read(visibility: visibility) { try $0.count(of: try $0.tree(named: "t")) }
    }

    private func word(_ offset: Int) throws -> UInt64 {
        try scratch.bytes(world).load(UInt64.self, at: offset)
    }

    private func write(_ number: UInt64, at offset: Int) throws {
        try scratch.overwrite(world, with: number.bytes, at: offset)
    }

    @Test(arguments: StoreKind.allCases, [-1, 1, 1000])
    func `cost the next writer no commit where they say what was announced`(
        kind: StoreKind, by: Int
    ) throws {
        let (first, second) = (try open(kind), try open(kind))
        try put(0, in: first)
        #expect(try count(second) == 1)
        // Nobody waits for this commit to be durable, but it is a frame in the file, and the next
        // writer must find it.
        try put(1, in: first, .relaxed(within: .seconds(3600)))
        try write(UInt64(Int(try word(Self.announced)) + by), at: Self.announced)
        try put(2, in: second)
        for store in [first, second] {
            #expect(try count(store) == 3)
            #expect(try count(store, .durable) == 3)
        }
        try second.close()
        try first.close()
        let again = try open(kind)
        #expect(try count(again) == 3)
        try again.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `are raised by later processes, and refused by those that know better`(
        kind: StoreKind
    ) throws {
        let first = try open(kind)
        for number in 0..<4 { try put(number, in: first) }
        let number = try word(Self.durable)
        try write(number - 1, at: Self.durable)
        #expect(refusal { _ = try first.info.durableCommit }?.code == .corrupted)
        let second = try open(kind)
        #expect(try count(second, .durable) == 4)
        #expect(try word(Self.durable) == number)
        #expect(try count(first, .durable) == 4)
        try second.close()
        try first.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `lose no checkpoint, though its record is damaged too`(kind: StoreKind) throws {
        let first = try open(kind)
        for number in 0..<6 {
            try put(number, in: first)
            try first.checkpoint()
        }
        let number = try word(Self.checkpoint)
        try write(number - 1, at: Self.checkpoint)
        let cell = 1024 + Int(number % 2) * 512
        try scratch.overwrite(world, with: [UInt8](repeating: 9, count: 64), at: cell)
        let second = try open(kind)
        #expect(try count(second, .durable) == 6)
        try put(6, in: second)
        #expect(try count(second) == 7)
        try second.close()
        try? first.close()
        let again = try open(kind)
        #expect(try count(again) == 7)
        #expect(try again.check().isSound)
        try again.close()
    }

    /// If the word were not raised, the meta slot that was flushed last would be overwritten.
    @Test(arguments: StoreKind.allCases)
    func `are raised by the next checkpoint, though its process knows only the one before`(
        kind: StoreKind
    ) throws {
        let first = try open(kind)
        try put(0, in: first)
        try first.takeOverLog()
        let second = try open(kind)
        #expect(try count(second) == 1)
        try put(1, in: first)
        try first.takeOverLog()
        let number = try word(Self.checkpoint)
        try write(number - 1, at: Self.checkpoint)
        try put(2, in: second)
        try second.takeOverLog()
        #expect(try word(Self.checkpoint) > number)
        for store in [first, second] { #expect(try count(store) == 3) }
        #expect(try second.check().isSound)
        try second.close()
        try first.close()
    }

    /// A process that begins to write reads the words before it has the lock, so it must read them
    /// again once nobody else can commit.
    @Test(arguments: StoreKind.allCases)
    func `do not mislead a writer that waited for the lock meanwhile`(kind: StoreKind) throws {
        let first = try open(kind)
        try put(0, in: first)
        let attack = Mutex<(@Sendable () throws -> Void)?>(nil)
        let storage = WatchedStorage { event in
            guard event == .call(.lock) else { return }
            #expect(throws: Never.self) { try attack.withLock { $0.take() }?() }
        }
        let second = try Store.open(
            at: scratch.path("s"), key: try kind.key(), options: StoreOptions(), storage: storage)
        #expect(try count(second) == 1)
        let announced = try word(Self.announced)
        attack.withLock {
            $0 = { [self] in
                try put(1, in: first)
                try write(announced, at: Self.announced)
            }
        }
        try put(2, in: second)
        #expect(attack.withLock { $0 == nil })
        for store in [first, second] { #expect(try count(store) == 3) }
        try second.close()
        try first.close()
    }

    /// A leader then finds that less was announced than is durable.
    @Test(arguments: StoreKind.allCases)
    func `cost no commit that is durable where all of them are set back`(kind: StoreKind) throws {
        let first = try open(kind)
        try put(0, in: first)
        let second = try open(kind)
        try put(1, in: second, .relaxed(within: .seconds(3600)))
        let (announced, durable) = (try word(Self.announced), try word(Self.durable))
        try put(2, in: first)
        try write(durable, at: Self.durable)
        try write(announced, at: Self.announced)
        try? second.close()
        try? first.close()
        let again = try open(kind)
        #expect(try count(again) == 3)
        try again.close()
    }
}
