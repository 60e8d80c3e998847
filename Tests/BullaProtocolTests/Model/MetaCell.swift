/// A meta slot: what the kernel reads from it, and what the disk may hold.
struct MetaCell: Hashable {
    /// The record written last; `nil` after a power loss, until a process reads the slot.
    var cached: Record?
    /// Whether a flush would write the record.
    var isDirty = false
    /// The records that a power loss may leave.
    var possible: [Record]
    /// The former record, which an attacker may have kept.
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

    /// All cells that reading the slot can lead to; in each of them, the record is certain.
    var readings: [MetaCell] {
        cached != nil ? [self] : possible.map { MetaCell($0) }
    }
}
