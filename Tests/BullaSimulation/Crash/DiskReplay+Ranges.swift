internal import Bulla

/// Flushes of a part of a file: the kernel writes each page that the part touches as a whole.
extension DiskReplay {
    private static let cachePageByteCount: UInt64 = 4096

    func pages(_ range: Range<UInt64>) -> Range<UInt64> {
        let page = Self.cachePageByteCount
        return range.lowerBound / page * page..<(range.upperBound + page - 1) / page * page
    }

    /// Moves the pending writes of a range to the disk, and as much of the file's growth as they
    /// need.
    ///
    /// A file that was cut is flushed as a whole: the journal has the cut, and what was written
    /// before it must not come back.
    mutating func settle(_ file: Int, _ range: Range<UInt64>) {
        let wasCut = pending.contains { if case .cut(file, _) = $0 { true } else { false } }
        guard !wasCut else { return settle(file) }
        guard var state = durable.files.removeValue(forKey: file) else { return }
        for case .extend(file, let byteCount) in pending {
            state.extend(to: min(byteCount, range.upperBound))
        }
        takeWrites(file, range) { offset, bytes in state.settle(offset, bytes) }
        durable.files[file] = state
    }

    /// Removes from the pending events the parts of writes that lie in a range, and passes them to
    /// `body` in order.
    mutating func takeWrites(
        _ file: Int, _ range: Range<UInt64>, _ body: (UInt64, [UInt8]) -> Void
    ) {
        pending = pending.flatMap { event -> [DiskEvent] in
            guard case .write(file, let offset, let bytes) = event else { return [event] }
            let written = offset..<offset + UInt64(bytes.count)
            let inside = written.clamped(to: range)
            guard !inside.isEmpty else { return [event] }
            func part(_ part: Range<UInt64>) -> [UInt8] {
                Array(bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)])
            }
            body(inside.lowerBound, part(inside))
            let rest = [offset..<inside.lowerBound, inside.upperBound..<written.upperBound]
            return rest.filter { !$0.isEmpty }.map {
                .write(file: file, offset: $0.lowerBound, bytes: part($0))
            }
        }
    }
}
