internal import Bulla

/// The text of a defect, on one line.
enum DefectText {
    static func line(_ defect: StoreDefect) -> String {
        let tree = defect.treeName.map { " in tree \(EscapedText.forTerminal($0))" } ?? ""
        let place = defect.page > 0 ? "page \(defect.page)\(tree), commit \(defect.commit)" : "head"
        return "\(defect.kind.rawValue): \(place): \(EscapedText.forTerminal(defect.message))"
            + (defect.treeName == nil ? "" : "; lost: keys from \(lost(defect))")
    }

    /// The range of lost keys, in hexadecimal digits, because a key can contain any bytes.
    private static func lost(_ defect: StoreDefect) -> String {
        let from = defect.lostFrom.map { "0x\($0)" } ?? "the first"
        return from + " up to " + (defect.lostUpTo.map { "before 0x\($0)" } ?? "the last")
    }
}

enum StatText {
    static func append(
        _ name: TreeName, _ counts: TreeStatistics, isJSON: Bool, to text: inout [UInt8]
    ) {
        guard !isJSON else { return appendObject(name, counts, to: &text) }
        let lines = [
            ("tree", "\(name)"),
            ("entries", "\(counts.entryCount)"),
            ("height", "\(counts.height)"),
            ("pages", pages(counts)),
            ("fill", "\(Quantity.decimal(counts.fill * 100)) % of branches and leaves"),
            ("keys", Quantity.bytes(counts.keyByteCount)),
            ("values", values(counts)),
        ]
        for (name, line) in lines {
            let blanks = String(repeating: " ", count: 11 - name.count)
            text.append(contentsOf: "\(name)\(blanks)\(line)\n".utf8)
        }
    }

    private static func pages(_ counts: TreeStatistics) -> String {
        "\(counts.pageCount): \(counts.branchPageCount) branches, \(counts.leafPageCount) leaves, "
            + "\(counts.valuePageCount) of large values, "
            + "\(counts.valueIndexPageCount) that name these"
    }

    private static func values(_ counts: TreeStatistics) -> String {
        let all = Quantity.bytes(counts.valueByteCount)
        guard counts.largeValueCount > 0 else { return all }
        let large = Quantity.count(counts.largeValueCount, "large value")
        return "\(all), in \(large) \(Quantity.bytes(counts.largeValueByteCount))"
    }

    private static func appendObject(
        _ name: TreeName, _ counts: TreeStatistics, to text: inout [UInt8]
    ) {
        let members = JSONOutput.line(counts).dropFirst().dropLast(2)
        text.append(contentsOf: "{\(members),".utf8)
        JSONBytes.append("name", name.bytes, to: &text)
        text.append(contentsOf: "}\n".utf8)
    }
}
