/// A meta slot: what the kernel shows of it, and what the disk may have.
struct MetaCell: Hashable {
    /// What was written last; `nil` after a power loss, until somebody looks.
    var cached: Record?
    /// Whether a flush would write it.
    var isDirty = false
    /// What a power loss may leave.
    var possible: [Record]
    /// What was there before: an attacker may have kept it.
    var former: Record?

    init(_ record: Record) {
        cached = record
        possible = [record]
    }

    mutating func write(_ record: Record) {
        if cached != record { former = cached }
        cached = record
        isDirty = true
        if !possible.contains(record) { possible.append(record) }
    }

    mutating func flush() {
        guard isDirty, let cached else { return }
        possible = [cached]
        isDirty = false
    }

    mutating func losePower() {
        isDirty = false
        former = possible.count > 1 ? nil : former
        cached = possible.count == 1 ? possible[0] : nil
    }

    /// What a look at the slot may find, each with what is certain from then on.
    var readings: [MetaCell] {
        cached != nil ? [self] : possible.map { MetaCell($0) }
    }
}
