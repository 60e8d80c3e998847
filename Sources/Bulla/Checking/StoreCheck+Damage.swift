internal import BullaMemory

/// Reports damage: adds it to the defects that the check has found.
extension StoreCheck {
    mutating func add(
        _ kind: StoreDefect.Kind, page: UInt64, commit: UInt64, _ message: String,
        losing bounds: KeyBounds = KeyBounds()
    ) {
        defectCount += 1
        guard report.defects.count < CheckReport.defectLimit else { return }
        report.defects.append(
            StoreDefect(
                kind: kind, page: page, commit: commit,
                treeName: tree.map { EscapedText.line($0.copied()) }, lostFrom: bounds.lowerText,
                lostUpTo: bounds.upperText, message: message))
    }

    mutating func add(
        _ kind: StoreDefect.Kind, _ pointer: PagePointer, _ bounds: KeyBounds, _ message: String
    ) {
        add(kind, page: pointer.number, commit: pointer.birth, message, losing: bounds)
    }
}
