/// Identifies a version of a memtable by its number and its root.
///
/// Versions of a memtable are numbered as they are made, and no number is given twice.
package struct MemtableVersion: Sendable, Equatable {
    let word: UInt64

    init(word: UInt64) { self.word = word }

    init(stamp: UInt32, root: UInt32) { word = UInt64(stamp) << 32 | UInt64(root) }

    /// The version of a new memtable, which has no changes.
    package static let empty = MemtableVersion(word: 0)

    var stamp: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }
    /// The directory's root; 0 for an empty version.
    @inline(__always)
    var root: UInt32 { UInt32(truncatingIfNeeded: word) }

    package var isEmpty: Bool { word == 0 }
}
