package import Bulla
import BullaTestSupport

/// One of the ways into a store whose keys are changed: a key or a password that its number says.
package struct KeyWay: Hashable, Codable, Sendable {
    package let number: Int

    /// What every store of the tests is made with.
    package static let first = KeyWay(number: 0)

    package init(number: Int) { self.number = number }

    /// Few are: each costs its stretching.
    package var isPassword: Bool { number % 16 == 9 }

    /// Which nobody else's slot has.
    package var label: String { "way \(number)" }

    package func key() throws -> StoreKey {
        if self == .first { return try StoreKey(StoreKind.keyBytes) }
        guard isPassword else {
            var random = TestRandom(seed: number)
            return try StoreKey(random.uniqueBytes(StoreKey.byteCount))
        }
        // The cheapest that is allowed.
        return try .password(
            Secret("password \(number)"), slot: label, stretching: .pbkdf2(iterations: 600_000))
    }
}

/// Keys of ways, made once: a password is then stretched once for each slot.
package struct KeyRing {
    private var keys: [KeyWay: StoreKey] = [:]

    package init() {}

    package mutating func key(of way: KeyWay) throws -> StoreKey {
        if let key = keys[way] { return key }
        let key = try way.key()
        keys[way] = key
        return key
    }
}
