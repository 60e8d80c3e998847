internal import BullaMemory

/// A share of one record and of the records below it, as the zone's head stores it.
///
///     bytes  field
///        16  identifier: random, so that a later share of the same record has a different one
///         n  name of the share's record
///         n  name of the root record
///         1  flags: 1 the share is ending; 2 the owner's next change gives it a new key
///         4  how many keys
///         n  each: epoch 4, wrap 72
///         n  ``ZoneShare``
///
/// Each wrap is the share's key, wrapped under the zone's key of the same epoch. So the owner can
/// open the shared records. A participant has only the share's key, which opens only these records.
package struct RecordShare: Hashable, Sendable {
    package let name: String
    package let root: String
    /// Whether it has ended, but some records may still be sealed under its key.
    package var isEnding = false
    /// Whether the owner's next change gives it a new key, for example because it has none yet, or
    /// because a participant with its newest key has left.
    package var isEpochDue = false
    /// The share's keys, wrapped for the owner, by epoch.
    package var wraps: [UInt32: [UInt8]] = [:]
    package var members = ZoneShare()

    package init(named name: String, of root: String) { (self.name, self.root) = (name, root) }

    /// The epoch of the key under which records are sealed; `nil` before the share has its first
    /// key.
    package var newestEpoch: UInt32? { wraps.keys.max() }

    private enum Flag {
        static let ending: UInt8 = 1
        static let epochDue: UInt8 = 2
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(text: name)
        bytes.append(text: root)
        bytes.append((isEnding ? Flag.ending : 0) | (isEpochDue ? Flag.epochDue : 0))
        bytes.append(number: UInt32(wraps.count))
        for (epoch, wrap) in wraps.sorted(by: { $0.key < $1.key }) {
            bytes.append(number: epoch)
            bytes += wrap
        }
        members.append(to: &bytes)
    }

    init?(_ cursor: inout ByteCursor) {
        guard let name = cursor.nextText(), let root = cursor.nextText(),
            let flags = cursor.next(UInt8.self), flags <= 3, let count = cursor.next(UInt32.self)
        else { return nil }
        self.init(named: name, of: root)
        isEnding = flags & Flag.ending != 0
        isEpochDue = flags & Flag.epochDue != 0
        for _ in 0..<count {
            guard let epoch = cursor.next(UInt32.self),
                let wrap = cursor.nextView(ZoneKey.wrappedByteCount)
            else { return nil }
            wraps[epoch] = wrap.copied()
        }
        guard let members = ZoneShare(&cursor) else { return nil }
        self.members = members
    }
}
