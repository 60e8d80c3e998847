package import Bulla
import BullaTestSupport

/// A way into a store whose keys change: a key or a password, determined by its number.
package struct KeyWay: Hashable, Codable, Sendable {
    package let number: Int

    /// The way that every store of the tests starts with.
    package static let first = KeyWay(number: 0)

    package init(number: Int) { self.number = number }

    /// Whether this way is a password, as only few are, because stretching one is expensive.
    package var isPassword: Bool { number % 16 == 9 }

    /// A label that no other slot has.
    package var label: String { "way \(number)" }

    package func key() throws -> StoreKey {
        if self == .first { return try StoreKey(StoreKind.keyBytes) }
        guard isPassword else {
            var random = TestRandom(seed: number)
            return try StoreKey(random.uniqueBytes(StoreKey.byteCount))
        }
        // The cheapest parameters that are allowed.
        return try .password(
            Secret("password \(number)"), slotLabel: label, stretching: .pbkdf2(iterations: 600_000)
        )
    }
}

/// The keys of ways, each made only once, so that a password is stretched only once.
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
