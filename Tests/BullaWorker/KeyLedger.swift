import BullaTestSupport
import Foundation

/// Records the ways into a store, in a file that survives when a process that changes them is
/// killed.
package struct KeyLedger: Codable, Sendable {
    /// A change of the keyring that has begun.
    package enum Change: Codable, Sendable {
        case replace(slot: Int, by: KeyWay)
        case add(KeyWay)
        case remove(slot: Int)
        /// Seals everything under a new secret, and drops these slots.
        case reencrypt(dropping: [Int])
    }

    /// The ways in, by the numbers of their slots.
    package private(set) var slots = [1: KeyWay.first]
    /// A change that has begun, and has not been settled; if its process was killed, it may or may
    /// not have happened.
    package private(set) var pending: Change?
    /// The newest of the ways that no longer open the store.
    package private(set) var shut: [KeyWay] = []
    /// How many times each verb has finished.
    package private(set) var finished: [String: Int] = [:]
    private var next = 1

    private static let shutLimit = 6

    package init() {}

    /// - Parameter path: a file written by ``write(to:)``.
    package init(readingFrom path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        self = try JSONDecoder().decode(KeyLedger.self, from: bytes)
    }

    /// Replaces the file atomically.
    package func write(to path: String) throws {
        try JSONEncoder().encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Ways that must open the store.
    package var certain: [KeyWay] { slots.filter { !doubtfulSlots.contains($0.key) }.map(\.value) }

    /// Ways that may or may not open it.
    package var doubtful: [KeyWay] {
        let former = doubtfulSlots.compactMap { slots[$0] }
        return switch pending {
        case .replace(_, let way), .add(let way): former + [way]
        default: former
        }
    }

    /// Whether exactly one of the doubtful ways must open the store.
    package var isOneNeeded: Bool { if case .replace = pending { true } else { false } }

    private var doubtfulSlots: [Int] {
        switch pending {
        case .replace(let slot, _), .remove(let slot): [slot]
        case .reencrypt(let dropped): dropped
        case .add, nil: []
        }
    }

    /// A way that no store has ever had.
    package mutating func nextWay(isKey: Bool = false) -> KeyWay {
        defer { next += 1 }
        while isKey && KeyWay(number: next).isPassword { next += 1 }
        return KeyWay(number: next)
    }

    package mutating func begin(_ change: Change) { pending = change }

    package mutating func note(_ verb: String) { finished[verb, default: 0] += 1 }

    /// Records the outcome of the change that has begun.
    ///
    /// - Parameters:
    ///   - numbers: the numbers of the present slots.
    ///   - opens: whether a way opens the store.
    package mutating func settle(
        _ numbers: [Int], opens: (KeyWay) throws -> Bool
    ) throws {
        guard let change = pending else { return }
        let (former, doubtful) = (slots, doubtful)
        let found = try doubtful.filter(opens)
        if isOneNeeded && found.count != 1 {
            throw WorkerFailure.impossible("\(change): \(found) open it, and one must")
        }
        for slot in doubtfulSlots { slots[slot] = nil }
        for way in found {
            let slot =
                former.first { $0.value == way }?.key ?? Self.place(of: change)
                ?? numbers.first { former[$0] == nil }
            guard let slot else {
                throw WorkerFailure.impossible("\(way) opens it, and has no slot among \(numbers)")
            }
            slots[slot] = way
        }
        guard Set(slots.keys) == Set(numbers) else {
            throw WorkerFailure.impossible("\(change): the slots are \(numbers), not \(slots)")
        }
        shut = (shut + doubtful.filter { !found.contains($0) }).suffix(Self.shutLimit)
        pending = nil
    }

    private static func place(of change: Change) -> Int? {
        if case .replace(let slot, _) = change { slot } else { nil }
    }
}
