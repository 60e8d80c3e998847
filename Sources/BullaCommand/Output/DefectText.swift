internal import Bulla

/// A defect in one line.
enum DefectText {
    static func line(_ defect: StoreDefect) -> String {
        let tree = defect.tree.map { " in tree \(EscapedText.forTerminal($0))" } ?? ""
        let place = defect.page > 0 ? "page \(defect.page)\(tree), commit \(defect.commit)" : "head"
        return "\(defect.kind.rawValue): \(place): \(EscapedText.forTerminal(defect.message))"
            + (defect.tree == nil ? "" : "; lost: keys from \(lost(defect))")
    }

    /// The range of lost keys, in hexadecimal digits: a key may be any bytes.
    private static func lost(_ defect: StoreDefect) -> String {
        let from = defect.lostFrom.map { "0x\($0)" } ?? "the first"
        return from + " up to " + (defect.lostUpTo.map { "before 0x\($0)" } ?? "the last")
    }
}
