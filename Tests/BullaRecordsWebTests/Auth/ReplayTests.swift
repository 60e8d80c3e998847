import Bulla
import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import BullaText
import Synchronization
import Testing

/// Signatures of writes, remembered in one store of accounts that several processes share.
@Suite("A signature that comes again")
struct ReplayTests {
    /// 2026-11-23T12:00:00Z.
    private static let now: Int64 = 1_795_435_200_000
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open() throws -> (store: Store, keyring: AccountKeyring) {
        let store = try Store.open(at: scratch.path("accounts.bulla"), key: StoreKind.gcm.key())
        return (store, AccountKeyring(store))
    }

    /// The replay memory of one process.
    private func memory(_ keyring: AccountKeyring, countLimit: Int = 100) -> ReplayMemory {
        let book = SessionBook(keyring, clock: { Self.now })
        return ReplayMemory(countLimit: countLimit) { first, keyID, end throws(WebError) in
            try book.takeSignature(first, by: keyID, until: end)
        }
    }

    private func write(
        _ number: UInt8, _ memory: ReplayMemory, keyID: String = "k"
    ) throws(WebError) {
        guard
            let signature = try RequestSignature(
                keyID: keyID, date: "2026-11-23T12:00:00Z",
                signature: Base64.text([0x30, 6, 2, 1, number, 2, 1, 5]))
        else { return }
        try signature.check(target: "/", body: [], now: Self.now, memory: memory) { _, _, _ in
            true
        }
    }

    private func refusal(_ body: () throws(WebError) -> Void) -> WebError? {
        do throws(WebError) { try body() } catch { return error }
        return nil
    }

    @Test("is refused by another process")
    func processes() throws {
        let (one, other) = (try open(), try open())
        let memories = [memory(one.keyring), memory(other.keyring)]
        for number in 1...4 as ClosedRange<UInt8> {
            try write(number, memories[Int(number) % 2])
            for memory in memories {
                let error = refusal { () throws(WebError) in try write(number, memory) }
                #expect(error?.code == .authenticationFailed)
                #expect(error?.reason.hasSuffix("it was used for a write before") == true)
            }
            // Another key's signature can have the same number.
            try write(number, memories[1], keyID: "other")
        }
        try one.store.close()
        try other.store.close()
    }

    @Test("is refused after a restart, until its date is over")
    func restart() throws {
        let first = try open()
        try write(1, memory(first.keyring))
        try first.store.close()
        let second = try open()
        defer { try? second.store.close() }
        #expect(
            refusal { () throws(WebError) in try write(1, memory(second.keyring)) }?.code
                == .authenticationFailed)
        // The signature is kept for as long as its date can be valid.
        let end = Self.now + RequestSignature.ageLimit + RequestSignature.leadLimit
        #expect(try second.keyring.signatures.forget(endedBefore: end) == 0)
        #expect(
            refusal { () throws(WebError) in try write(1, memory(second.keyring)) }?.code
                == .authenticationFailed)
        #expect(try second.keyring.signatures.forget(endedBefore: end + 1) == 1)
        #expect(try second.keyring.signatures.forget(endedBefore: .max) == 0)
    }

    @Test("is taken where it could not be kept the first time")
    func failedKeeping() throws {
        let fails = Mutex(true)
        let memory = ReplayMemory(countLimit: 4) { _, _, _ throws(WebError) in
            guard fails.withLock({ $0 }) else { return true }
            throw WebError(.tryAgainLater, "keep a signature: the disk is full", retryAfter: 1)
        }
        for _ in 0..<10 {
            let error = refusal { () throws(WebError) in try write(1, memory) }
            #expect(error?.code == .tryAgainLater)
        }
        #expect(memory.count == 0)
        fails.withLock { $0 = false }
        try write(1, memory)
        #expect(memory.count == 1)
        #expect(
            refusal { () throws(WebError) in try write(1, memory) }?.code == .authenticationFailed)
    }
}
