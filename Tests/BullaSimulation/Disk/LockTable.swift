internal import Bulla

/// Locks on single bytes of files, each held by an open file.
struct LockTable {
    private struct Place: Hashable {
        let file: Int
        let byte: UInt64
    }

    private struct Holder {
        let open: Int
        let kind: LockKind
    }

    private var held: [Place: [Holder]] = [:]

    /// Takes, changes or releases a lock; `false` if another open file's lock excludes it.
    mutating func lock(_ file: Int, _ byte: UInt64, _ kind: LockKind, by open: Int) -> Bool {
        guard !isExcluded(file, byte, kind, for: open) else { return false }
        let place = Place(file: file, byte: byte)
        held[place, default: []].removeAll { $0.open == open }
        if kind != .none { held[place, default: []].append(Holder(open: open, kind: kind)) }
        if held[place]?.isEmpty == true { held[place] = nil }
        return true
    }

    func isExcluded(_ file: Int, _ byte: UInt64, _ kind: LockKind, for open: Int) -> Bool {
        let others = held[Place(file: file, byte: byte), default: []].filter { $0.open != open }
        return switch kind {
        case .none: false
        case .shared: others.contains { $0.kind == .exclusive }
        case .exclusive: !others.isEmpty
        }
    }

    /// Whether another open file's lock on any of the bytes excludes a lock of this kind.
    func isExcluded(_ file: Int, _ bytes: Range<UInt64>, _ kind: LockKind, for open: Int) -> Bool {
        held.keys.contains { place in
            place.file == file && bytes.contains(place.byte)
                && isExcluded(file, place.byte, kind, for: open)
        }
    }

    mutating func releaseAll(of open: Int) {
        for place in Array(held.keys) {
            held[place]?.removeAll { $0.open == open }
            if held[place]?.isEmpty == true { held[place] = nil }
        }
    }
}
