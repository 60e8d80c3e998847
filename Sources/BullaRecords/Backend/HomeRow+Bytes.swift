internal import BullaMemory

/// The row as bytes: 1 byte of version, 8 of generation, 1 of state, 1 that says whether it is
/// stale, 8 of attempt; the other site, after its byte count; 1 byte that says which of the
/// following parts are present: 16 bytes of copy, 16 of source, 16 of timeline and 16 of arrival,
/// 32 of voucher.
extension HomeRow {
    private static let version: UInt8 = 1
    private static let voucherByteCount = 32

    private struct Parts: OptionSet {
        let rawValue: UInt8
        static let copy = Parts(rawValue: 1)
        static let source = Parts(rawValue: 2)
        static let timeline = Parts(rawValue: 4)
        static let voucher = Parts(rawValue: 8)
    }

    private var parts: Parts {
        var parts: Parts = []
        if copy != nil { parts.insert(.copy) }
        if source != nil { parts.insert(.source) }
        if timeline != nil { parts.insert(.timeline) }
        if !voucher.isEmpty { parts.insert(.voucher) }
        return parts
    }

    package var bytes: [UInt8] {
        var bytes = [Self.version]
        bytes.append(number: generation)
        bytes += [state.rawValue, isStale ? 1 : 0]
        bytes.append(number: attempt)
        bytes.append(text: other)
        bytes.append(parts.rawValue)
        bytes += (copy?.bytes ?? []) + (source?.bytes ?? [])
        if let timeline { bytes += timeline.timeline.bytes + timeline.arrival.bytes }
        return bytes + voucher
    }

    /// What the voucher covers: the row without the voucher, and with `isStale` cleared.
    var vouchedBody: [UInt8] {
        var row = self
        (row.isStale, row.voucher) = (false, [])
        return row.bytes
    }

    package init(_ bytes: [UInt8]) throws(RecordError) {
        guard let row = bytes.withView({ Self.row($0) }) else {
            throw RecordError(.damaged, "find the home of a database: its row is malformed")
        }
        self = row
    }

    private static func row(_ view: ByteView) -> HomeRow? {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == version, let generation = cursor.next(UInt64.self),
            generation > 0, generation < .max,
            let state = cursor.next(UInt8.self).flatMap({ State(rawValue: $0) }),
            let stale = cursor.next(UInt8.self), stale <= 1,
            let attempt = cursor.next(UInt64.self), attempt < .max,
            let other = cursor.nextText(), let parts = cursor.next(UInt8.self)
        else { return nil }
        var row = HomeRow(generation, state, other: other, attempt: attempt)
        row.isStale = stale == 1
        guard row.read(Parts(rawValue: parts), &cursor), cursor.isAtEnd else { return nil }
        // This comparison also refuses bits that stand for no part.
        return row.parts.rawValue == parts ? row : nil
    }

    private mutating func read(_ parts: Parts, _ cursor: inout ByteCursor) -> Bool {
        if parts.contains(.copy) { copy = cursor.nextIdentifier() }
        if parts.contains(.source) { source = cursor.nextIdentifier() }
        if parts.contains(.timeline) {
            guard let brought = cursor.nextIdentifier(), let arrival = cursor.nextIdentifier()
            else { return false }
            timeline = BroughtTimeline(brought, arrival: arrival)
        }
        guard parts.contains(.voucher) else { return true }
        guard let view = cursor.nextView(Self.voucherByteCount) else { return false }
        voucher = view.copied()
        return true
    }
}
