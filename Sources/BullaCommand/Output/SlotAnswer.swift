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

        /// The cells of its row; a blank one would move the others for a program.
        var row: [String] {
            let label = label.map { EscapedText.line(Array($0.utf8)) }
            return ["\(number)", kind ?? "unknown", label ?? "-", stretching ?? "-"]
        }
    }

    /// Whether a key proved that these are the slots.
    let isVerified: Bool
    /// The slot that the key opened.
    let openedSlot: Int?
    let slots: [Slot]

    init(_ slots: [KeySlot], isVerified: Bool, openedSlot: Int? = nil) {
        self.slots = slots.map { Slot($0) }
        self.isVerified = isVerified
        self.openedSlot = openedSlot
    }

    /// The answer for people.
    var text: String {
        var table = TextTable(
            header: ["number", "kind", "label", "stretching"], leftColumnCount: 4)
        for slot in slots { table.append(slot.row) }
        return table.lines.map { $0 + "\n" }.joined()
    }

    /// Writes the answer, and on standard error that it is unverified where it is.
    ///
    /// - Parameter claimant: what claims to have these slots.
    func print(isJSON: Bool, claimant: String) throws {
        try ByteOutput.print(isJSON ? JSONOutput.line(self) : text)
        guard !isVerified, !isJSON else { return }
        StandardError.write(
            "bulla: this is what the \(claimant) claims; no key of it verified anything\n")
    }
}
