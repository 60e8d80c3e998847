internal import Bulla

/// Searches a disk's history for pages that were written beyond the durable length of their file.
///
/// A crash could lose such a page, but keep a meta page that names it. A lack of space would then
/// show as a fault in a mapping, not as an error.
package struct GrowthAudit {
    private var lengths: [Int: (now: UInt64, flushed: UInt64)] = [:]

    private init() {}

    /// The events that break the rule.
    package static func offences(_ disk: SimulatedDisk) -> [DiskEvent] {
        var audit = GrowthAudit()
        for (number, file) in disk.base.files {
            audit.lengths[number] = (UInt64(file.bytes.count), UInt64(file.bytes.count))
        }
        return disk.history.filter { audit.isOffence($0) }
    }

    private mutating func isOffence(_ event: DiskEvent) -> Bool {
        switch event {
        case .extend(let file, let byteCount):
            lengths[file, default: (0, 0)].now = byteCount
        case .cut(let file, let byteCount):
            let known = lengths[file] ?? (0, 0)
            // Nothing that was flushed beyond the cut is left in the file.
            lengths[file] = (min(known.now, byteCount), min(known.flushed, byteCount))
        case .flush(let file):
            let now = lengths[file]?.now ?? 0
            lengths[file] = (now, now)
        case .write(let file, let offset, let bytes):
            guard offset >= UInt64(PageFormat.preambleByteCount) else { break }
            // A page ends in a trailer that is not zeros. So this write is not a page, but growth
            // of the file, and other processes may act before the growth is done.
            if bytes.suffix(32).allSatisfy({ $0 == 0 }) { break }
            // A file that was never flushed does not have its store's name yet.
            let flushed = lengths[file]?.flushed ?? 0
            return flushed > 0 && offset + UInt64(bytes.count) > flushed
        default: break
        }
        return false
    }
}
