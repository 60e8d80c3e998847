package import Bulla
import BullaMemory
package import BullaTestSupport

/// Seals and opens canaries in a vault in every way there is, lends one, locks the vault, and
/// closes the store; in between it waits, still holding all results, so that the process's memory
/// can be searched.
struct LendJob {
    private let command: WorkerCommand
    private let seed: Int

    init(_ command: WorkerCommand) throws {
        self.command = command
        seed = command.number("seed")
        if let folder = command.text("core") { try CoreDump.allow(in: folder) }
    }

    func run() throws {
        var key = try command.takeKey()
        let store = try command.openStore(key)
        key = nil
        var password: StoreKey? = try VaultCanary.password(seed)
        let vault = try store.openVault(
            named: VaultCanary.vault, key: try password.orFail("there is no password"))
        let use = VaultUse(seed: seed, store: store, vault: vault)
        try use.run()
        let planted = command.number("plant") == 1 ? VaultCanary.lent.canary(seed).array() : []
        try use.lend {
            stay()
            Line.await()
        }
        stay()
        Line.await()
        vault.lock()
        password = nil
        try close(store)
        withExtendedLifetime((store, vault, planted)) {
            stay()
            Line.awaitEnd()
        }
    }

    private func close(_ store: Store) throws {
        // The store still works while the vault is locked.
        try store.write { try $0.openOrCreateTree(named: "after") }
        try store.close()
    }

    private func stay() {
        Canary.overwriteRegisters()
        Canary.overwriteStack()
        Line.say("secrets", SecretArena.statistics.secretCount)
        Line.say("hidden", SecretArena.statistics.hiddenByteCount)
        Line.say("ready")
    }
}

/// The canaries that are sealed, opened or lent.
package enum VaultCanary: Int, CaseIterable, Sendable {
    /// Opens the vault.
    case password
    /// Opens another slot of the vault.
    case otherPassword
    /// Lent while the worker waits.
    case lent
    /// Lent inside that loan.
    case inner
    /// Lent to a closure that throws.
    case thrown
    /// Contained many times in one blob.
    case large
    /// Contained in a blob that cannot be opened.
    case damaged
    /// The only key of a collection that hides its keys.
    case hiddenKey
    /// Contained in entities: ``CanaryEntity``.
    case entity, changed, part

    package static let vault = "canaries"

    package func canary(_ seed: Int) -> Canary { Canary(seed: seed * 100 + rawValue) }

    /// Whether it is lent while the worker waits inside a loan.
    package var isLent: Bool { self == .lent || self == .inner }

    /// The bytes to look for.
    package func bytes(_ seed: Int) -> [UInt8] {
        switch self {
        case .entity, .changed, .part: CanaryEntity(seed: canary(seed).seed).encoded
        default: canary(seed).bytes
        }
    }

    package static func password(_ seed: Int) throws -> StoreKey {
        try Self.password.canary(seed).withBytes { bytes in
            try .password(Secret(bytes), stretching: .pbkdf2(iterations: 600_000))
        }
    }
}

/// An entity whose words are derived from its seed one by one during encoding, so that only the
/// engine has two of them next to each other.
package struct CanaryEntity: Codable, Sendable {
    let seed: Int

    private static let wordCount = 8

    init(seed: Int) { self.seed = seed }

    /// A word so large that all eight of its bytes are encoded.
    private func word(_ index: Int) -> UInt64 {
        var random = TestRandom(seed: (seed + index) &* 1_000_003)
        return random.next() | 1 << 63
    }

    package func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for index in 0..<Self.wordCount { try list.encode(word(index)) }
        try list.encode(seed)
    }

    package init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        var sum: UInt64 = 0
        for _ in 0..<Self.wordCount { sum ^= try list.decode(UInt64.self) }
        seed = try list.decode(Int.self)
        guard sum == (0..<Self.wordCount).reduce(0, { $0 ^ word($1) }) else {
            throw WorkerFailure.impossible("an entity is another")
        }
    }

    /// The entity's words as the cleartext of its blob holds them: as integers of CBOR (RFC 8949,
    /// section 3.1).
    var encoded: [UInt8] { (0..<Self.wordCount).flatMap { [0x1B] + word($0).bytes } }
}
