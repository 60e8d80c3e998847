/// Who is measured side by side, and who is compared with whom.
package struct Lineup: Sendable {
    /// Two contenders, by their places.
    package struct Pairing: Sendable, Equatable {
        package var contender: Int
        package var base: Int
        /// Whether the run's target is for this pair.
        package var hasTarget: Bool

        package init(_ contender: Int, over base: Int, hasTarget: Bool = false) {
            self.contender = contender
            self.base = base
            self.hasTarget = hasTarget
        }
    }

    package let contenders: [Contender]
    package let pairings: [Pairing]
    /// Who was asked for and is not there, with the reason.
    package let skipped: [String]

    package init(_ contenders: [Contender], _ pairings: [Pairing], skipped: [String] = []) {
        precondition(!contenders.isEmpty, "somebody is measured")
        self.contenders = contenders
        self.pairings = pairings
        self.skipped = skipped
    }

    /// A plain store and an encrypted one.
    package static func overhead() throws -> Lineup {
        let program = try Executable.path()
        return Lineup(
            [
                Contender(name: "plain", program: program, isEncrypted: false),
                Contender(name: "encrypted", program: program, isEncrypted: true),
            ], [Pairing(1, over: 0, hasTarget: true)])
    }

    /// The order of a turn: another one begins each time, and none always follows the same.
    package func order(_ number: Int) -> [Int] {
        let count = contenders.count
        let turned = (0..<count).map { ($0 + number / 2) % count }
        return number % 2 == 0 ? turned : turned.reversed()
    }
}
