internal import Synchronization

/// Remembers the signatures of writes for as long as their dates are valid, so that none is used
/// twice.
///
/// It refuses a signature that this process has seen before. A keeper, if there is one, also
/// refuses signatures that other processes have seen, or that this service saw before a restart.
///
/// Any number of threads can call at once. Each signature takes a few hundred bytes. A full memory
/// refuses new signatures: if it made room by forgetting an old signature early, that signature
/// could be used again.
package final class ReplayMemory: Sendable {
    private struct Key: Hashable {
        let keyID: String
        let first: [UInt8]
    }

    private struct State {
        var known: Set<Key> = []
        /// The number of signatures by each key.
        var counts: [String: Int] = [:]
        /// The signatures in the order of their arrival; those before `head` are forgotten.
        var order: [(key: Key, end: Int64)] = []
        var head = 0
    }

    /// Stores a signature until `end`, in milliseconds since 1970; returns `false` if it was
    /// already stored.
    package typealias Keeper =
        @Sendable (_ first: [UInt8], _ keyID: String, _ end: Int64) throws(WebError) -> Bool

    private let countLimit: Int
    private let keeper: Keeper?
    private let state = Mutex(State())

    package init(countLimit: Int = 100_000, keeper: Keeper? = nil) {
        (self.countLimit, self.keeper) = (countLimit, keeper)
    }

    /// How many signatures are remembered.
    package var count: Int { state.withLock { $0.known.count } }

    /// Records the use of a valid signature for a write.
    ///
    /// - Parameters:
    ///   - first: the first of the signature's two numbers.
    ///   - now: the time in milliseconds since 1970.
    /// - Throws: ``WebError`` if the signature was used before, there is no space left, or the
    ///   keeper fails.
    func remember(keyID: String, _ first: [UInt8], now: Int64) throws(WebError) {
        let key = Key(keyID: keyID, first: first)
        // The signature's date can be ahead of our clock by up to `leadLimit`, and it then stays
        // valid that much longer.
        let end = now + RequestSignature.ageLimit + RequestSignature.leadLimit
        try remember(key, until: end, now: now)
        guard let keeper else { return }
        do throws(WebError) {
            guard try keeper(first, keyID, end) else { throw Self.replayed }
        } catch {
            // If the keeper could not store the signature, the service does not perform the write.
            // So this memory forgets the signature, and the sender can try again with the same one.
            if error.code != .authenticationFailed { forget(key) }
            throw error
        }
    }

    private static let replayed = WebError(
        .authenticationFailed, "check the request's signature: it was used for a write before")

    private func forget(_ key: Key) { state.withLock { Self.forget(key, &$0) } }

    private func remember(_ key: Key, until end: Int64, now: Int64) throws(WebError) {
        let error: WebError? = state.withLock { state in
            Self.forget(before: now, &state)
            if state.known.contains(key) { return Self.replayed }
            // One key can fill only a quarter of the memory, so that it cannot lock other keys out.
            guard state.known.count < countLimit,
                state.counts[key.keyID, default: 0] < max(countLimit / 4, 1)
            else {
                return WebError(
                    .tryAgainLater, "remember the request's signature: there are too many",
                    retryAfter: 60)
            }
            state.known.insert(key)
            state.counts[key.keyID, default: 0] += 1
            state.order.append((key, end))
            return nil
        }
        if let error { throw error }
    }

    private static func forget(before now: Int64, _ state: inout State) {
        while state.head < state.order.count, state.order[state.head].end < now {
            forget(state.order[state.head].key, &state)
            state.head += 1
        }
        guard state.head > 1_024, state.head > state.order.count / 2 else { return }
        state.order.removeFirst(state.head)
        state.head = 0
    }

    private static func forget(_ key: Key, _ state: inout State) {
        guard state.known.remove(key) != nil else { return }
        let left = state.counts[key.keyID, default: 1] - 1
        state.counts[key.keyID] = left > 0 ? left : nil
    }
}
