internal import BullaCipher
internal import BullaMemory

/// The sizes, offsets and limits of the data file, some of which depend on its page size.
///
///     byte        what                                 copies
///          0      header                               at 32 KiB
///       4096      keyring (encrypted stores)           at 36 KiB
///       8192      meta slot                            at 40 KiB
///      12288      table of key epochs (where forked)   at 44 KiB
///      28672      mark of the log                      at 60 KiB: an older or newer mark
///      65536      pages: page n begins at byte n * pageByteCount
package struct PageFormat: Sendable, Hashable {
    package static let version: UInt16 = 1
    /// The page sizes that a store may have.
    package static let pageByteCounts = [4096, 8192, 16384, 32768, 65536]
    /// The length of everything before the first page.
    ///
    /// A multiple of every page size.
    package static let preambleByteCount = 65536
    /// The distance between a part of the preamble and its copy, so great that no torn write
    /// reaches both.
    package static let copyDistance = 32768
    package static let keyringOffset = 4096
    package static let metaOffset = 8192
    package static let keyEpochsOffset = 12288
    /// The mark has a block to itself, after the table of key epochs.
    package static let markOffset = 28672
    /// The trailer of a sealed page: nonce, tag, key epoch.
    ///
    /// The identity of a cached frame has the same length (``FrameRegion``).
    package static let trailerByteCount = 32

    package let pageByteCount: Int

    package init(pageByteCount: Int) {
        precondition(
            Self.pageByteCounts.contains(pageByteCount), "the page size was checked")
        self.pageByteCount = pageByteCount
    }

    /// How many bytes of content a page holds.
    package var contentByteCount: Int { pageByteCount - Self.trailerByteCount }
    /// The number of the first page: pages before it would lie in the preamble.
    package var firstPage: UInt64 { UInt64(Self.preambleByteCount / pageByteCount) }
    /// The longest key, in bytes; it is so short that three separators always fit in a branch page.
    package var keyByteLimit: Int { pageByteCount / 4 }
    /// The lengths in bytes that a key may have.
    package var keyByteCounts: ClosedRange<Int> { 1...keyByteLimit }
    /// The longest value, in bytes: 4 GiB - 1, because lengths have 32 bits in every interface.
    package static let valueByteLimit: UInt64 = 1 << 32 - 1
    /// A value that is longer than this is never lent as a whole, only streamed.
    package static let lentValueByteLimit: UInt64 = 16 << 20
    package static let treeNameByteLimit = 255
    /// The greatest height of a tree: even with only three children for each branch, no tree of
    /// 2^32 pages is higher.
    ///
    /// A root that claims a greater height is damaged or forged.
    package static let heightLimit = 32

    package func offset(_ page: UInt64) -> UInt64 { page &* UInt64(pageByteCount) }
}
