internal import Bulla

/// A damage in one line.
enum DamageText {
    static func line(_ damage: StoreDamage) -> String {
        let tree = damage.tree.map { " in tree \(EscapedText.forTerminal($0))" } ?? ""
        let place = damage.page > 0 ? "page \(damage.page)\(tree), commit \(damage.commit)" : "head"
        return "\(damage.kind.rawValue): \(place): \(EscapedText.forTerminal(damage.message))"
            + (damage.tree == nil ? "" : "; lost: keys from \(lost(damage))")
    }

    /// The range of lost keys, in hexadecimal digits: a key may be any bytes.
    private static func lost(_ damage: StoreDamage) -> String {
        let from = damage.lostFrom.map { "0x\($0)" } ?? "the first"
        return from + " up to " + (damage.lostUpTo.map { "before 0x\($0)" } ?? "the last")
    }
}
