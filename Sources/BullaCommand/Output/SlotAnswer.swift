internal import Bulla
internal import BullaText

/// The slots of a store or of a vault.
struct SlotAnswer: Encodable {
    struct Slot: Encodable {
        let number: Int
        let kind: String?
        let label: String?
        let stretching: String?

        init(_ slot: KeySlot) {
            number = slot.number
            kind = slot.kind?.rawValue
            label = slot.label
            stretching = slot.stretching.map { "\($0)" }
        }

        /// The cells of the slot's row.
        ///
        /// No cell is empty, because a program that splits the row at blanks would take the next
        /// cell for the empty one.
        var row: [String] {
            let label = label.map { EscapedText.line(Array($0.utf8)) }
            return ["\(number)", kind ?? "unknown", label ?? "-", stretching ?? "-"]
        }
    }

    /// Whether these slots were verified with a key.
    let isVerified: Bool
    /// The slot that the key opened; `nil` without a key.
    let openedSlot: Int?
    let slots: [Slot]

    init(_ slots: [KeySlot], isVerified: Bool, openedSlot: Int? = nil) {
        self.slots = slots.map { Slot($0) }
        self.isVerified = isVerified
        self.openedSlot = openedSlot
    }

    /// The answer as text for people.
    var text: String {
        var table = TextTable(
            header: ["number", "kind", "label", "stretching"], leftColumnCount: 4)
        for slot in slots { table.append(slot.row) }
        return table.lines.map { $0 + "\n" }.joined()
    }

    /// Prints the answer; without `--json`, says on standard error if the slots are unverified.
    ///
    /// - Parameter claimant: a name for what claims to have these slots, such as `file`.
    func print(isJSON: Bool, claimant: String) throws {
        try ByteOutput.print(isJSON ? JSONOutput.line(self) : text)
        guard !isVerified, !isJSON else { return }
        StandardError.write(
            "bulla: this is what the \(claimant) claims; no key of it verified anything\n")
    }
}
