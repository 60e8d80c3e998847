package import BullaMemory

/// Names one version of one page: where it is, when it was written, and its check.
///
///     offset  bytes  field
///          0      8  page number     0: no page
///          8      8  birth commit
///         16      8  check           the first 8 bytes of the tag; in a plain store, the checksum
///
/// In a write transaction, a pointer can be *dirty*: it names a changed page in memory. A dirty
/// pointer never reaches the file.
package struct PagePointer: Hashable, Sendable {
    package static let byteCount = 24
    private static let dirtyMark: UInt64 = 1 << 63

    package var number: UInt64
    package var birth: UInt64
    package var check: UInt64

    @inline(__always)
    package init(number: UInt64, birth: UInt64, check: UInt64) {
        self.number = number
        self.birth = birth
        self.check = check
    }

    @inline(__always)
    package init(_ bytes: ByteView, at offset: Int) {
        number = bytes.load(UInt64.self, at: offset)
        birth = bytes.load(UInt64.self, at: offset + 8)
        check = bytes.load(UInt64.self, at: offset + 16)
    }

    package static let none = PagePointer(number: 0, birth: 0, check: 0)

    /// A pointer to a changed page, by the page's index in the arena of changed pages.
    ///
    /// - Parameters:
    ///   - token: random and never written to the file, so a pointer in a file cannot pass for a
    ///     dirty one.
    package static func dirty(_ index: Int, token: UInt64) -> PagePointer {
        PagePointer(number: dirtyMark | UInt64(index), birth: 0, check: token)
    }

    @inline(__always)
    package var isNone: Bool { number == 0 }

    /// The page's index in the arena, if it is a changed page.
    @inline(__always)
    package func dirtyIndex(token: UInt64) -> Int? {
        number & Self.dirtyMark == 0 || check != token ? nil : Int(number & ~Self.dirtyMark)
    }

    @inline(__always)
    package func write(_ bytes: MutableByteView, at offset: Int) {
        bytes.store(number, at: offset)
        bytes.store(birth, at: offset + 8)
        bytes.store(check, at: offset + 16)
    }
}
