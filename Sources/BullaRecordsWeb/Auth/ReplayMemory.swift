internal import Synchronization

/// Remembers the signatures of writes for as long as their dates are good.
///
/// Any number of threads may call at once. It takes some hundred bytes for each signature, and
/// never more than its limit: where it is full it refuses new ones, since one that it forgot could
/// be used again.
package final class ReplayMemory: Sendable {
    private struct Key: Hashable {
        let keyID: String
        let first: [UInt8]
    }

    private struct State {
        var known: Set<Key> = []
        /// How many of them each key has.
        var counts: [String: Int] = [:]
        /// The same, in the order in which they came, from `head` on.
        var order: [(key: Key, end: Int64)] = []
        var head = 0
    }

    private let countLimit: Int
    private let state = Mutex(State())

    package init(countLimit: Int = 100_000) { self.countLimit = countLimit }

    /// How many signatures it has.
    package var count: Int { state.withLock { $0.known.count } }

    /// Takes a signature that was found good.
    ///
    /// - Parameters:
    ///   - first: the first of its two numbers.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``WebError`` where it has the signature already, or no room.
    func remember(keyID: String, _ first: [UInt8], now: Int64) throws(WebError) {
        let error: WebError? = state.withLock { state in
            Self.forget(before: now, &state)
            let key = Key(keyID: keyID, first: first)
            if state.known.contains(key) {
                return WebError(
                    .authenticationFailed,
                    "check the request's signature: it was used for a write before")
            }
            // One key has no more than a part of it, so that others go on.
            guard state.known.count < countLimit,
                state.counts[keyID, default: 0] < max(countLimit / 4, 1)
            else {
                return WebError(
                    .tryAgainLater, "remember the request's signature: there are too many",
                    retryAfter: 60)
            }
            state.known.insert(key)
            state.counts[keyID, default: 0] += 1
            // A date may be ahead of our clock, and is good for as long after it.
            let end = now + RequestSignature.ageLimit + RequestSignature.leadLimit
            state.order.append((key, end))
            return nil
        }
        if let error { throw error }
    }

    private static func forget(before now: Int64, _ state: inout State) {
        while state.head < state.order.count, state.order[state.head].end < now {
            let key = state.order[state.head].key
            state.known.remove(key)
            let left = state.counts[key.keyID, default: 1] - 1
            state.counts[key.keyID] = left > 0 ? left : nil
            state.head += 1
        }
        guard state.head > 1_024, state.head > state.order.count / 2 else { return }
        state.order.removeFirst(state.head)
        state.head = 0
    }
}
