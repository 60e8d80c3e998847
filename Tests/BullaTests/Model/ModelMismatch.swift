import BullaTestSupport

/// A store and the model disagree.
struct ModelMismatch: Error, CustomStringConvertible {
    let seed: UInt64
    let operation: Int
    let what: String

    var description: String { "\(what), at operation \(operation) of BULLA_SEED=\(seed)" }
}

/// The context of a run: its random numbers, its progress, and its way to report a difference.
final class ModelContext {
    let seed: UInt64
    var random: TestRandom
    var operation = 0

    init(seed: UInt64) {
        self.seed = seed
        random = TestRandom(seed: seed)
    }

    func check(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        guard !isTrue else { return }
        throw ModelMismatch(seed: seed, operation: operation, what: what())
    }

    /// Describes bytes in a message without printing thousands of them.
    static func name(_ bytes: [UInt8]?) -> String {
        guard let bytes else { return "nothing" }
        let digits = bytes.prefix(12).map { String($0, radix: 16) }.joined(separator: " ")
        return "\(bytes.count) bytes [\(digits)\(bytes.count > 12 ? " ..." : "")]"
    }
}
