internal import BullaCipher
internal import BullaMemory

/// Marks a page pool with the store and the secret that the pool's workers use.
struct PoolBinding {
    private let ciphers: PageCiphers

    init(_ ciphers: PageCiphers) { self.ciphers = ciphers }

    /// Binds a pool, which has no workers yet, to this store and its newest secret.
    func bind(_ words: SharedWords) throws(BullaError) {
        let nonce = try Random.identifier()
        words.storeRelaxed(nonce.low, PoolLayout.nonce)
        words.storeRelaxed(nonce.high, PoolLayout.nonce + 8)
        let binding = try binding(of: words)
        for index in 0..<4 {
            let word = binding.withView { $0.load(UInt64.self, at: index * 8) }
            words.storeRelaxed(word, PoolLayout.binding + index * 8)
        }
        words.storeRelaxed(1, PoolLayout.round)
        words.storeRelease(PoolLayout.magicWord, PoolLayout.magic)
    }

    /// Whether a pool is bound to this store and its newest secret.
    func isBound(_ words: SharedWords) throws(BullaError) -> Bool {
        guard words.loadAcquire(PoolLayout.magic) == PoolLayout.magicWord else { return false }
        // Compare a copy, because others can write to the pool.
        let stored = (0..<4).flatMap {
            words.loadRelaxed(PoolLayout.binding + $0 * 8).littleEndianBytes
        }
        let expected = try binding(of: words)
        return stored.withView { stored in
            expected.withView { ConstantTime.areEqual(stored, $0) }
        }
    }

    private func binding(of words: SharedWords) throws(BullaError) -> [UInt8] {
        let nonce = [PoolLayout.nonce, PoolLayout.nonce + 8].flatMap {
            words.loadRelaxed($0).littleEndianBytes
        }
        return try ciphers.poolBinding(nonce: nonce)
    }
}
