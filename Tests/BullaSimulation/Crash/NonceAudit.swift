internal import Bulla
internal import BullaCipher

/// Checks every sealed page ever written under one store's keys: no two different pages may share a
/// nonce.
///
/// A page that is rewritten byte for byte, as recovery does, is not a second page.
package struct NonceAudit {
    private let pageByteCount: Int
    /// The hash of the page sealed under each key epoch and nonce.
    private var sealed: [ArraySlice<UInt8>: Int] = [:]
    private let hashSeed = Hasher()
    /// The number of pages checked.
    package private(set) var pageCount = 0
    /// The number of pages with the nonce of an earlier page.
    package private(set) var repetitionCount = 0

    package init(pageByteCount: Int) { self.pageByteCount = pageByteCount }

    /// The number of different nonces seen.
    package var nonceCount: Int { sealed.count }

    /// Adds the pages that were written to a disk since its base.
    package mutating func add(_ disk: SimulatedDisk) {
        for case .write(_, let offset, let bytes) in disk.history.dropFirst(disk.base.cached.count)
        where offset >= UInt64(PageFormat.preambleByteCount) && isOfPages(offset, bytes.count) {
            for start in stride(from: 0, to: bytes.count, by: pageByteCount) {
                let end = min(start + pageByteCount, bytes.count)
                add(bytes[start..<end], at: offset + UInt64(start))
            }
        }
    }

    /// More key epochs than any store in these tests reaches.
    private static let epochLimit = 1 << 10

    /// Pages are written whole and in their places; frames of a log are not.
    private func isOfPages(_ offset: UInt64, _ byteCount: Int) -> Bool {
        offset.isMultiple(of: UInt64(pageByteCount)) && byteCount.isMultiple(of: pageByteCount)
    }

    private mutating func add(_ page: ArraySlice<UInt8>, at offset: UInt64) {
        let trailer = page.endIndex - TrailerField.totalByteCount
        guard page.count == pageByteCount, page[trailer...].contains(where: { $0 != 0 }) else {
            return  // Zeros, which growth writes.
        }
        // A larger key epoch shows that this is no page: the halves of a log are filled with random
        // bytes, and later overwritten with frames.
        let epoch = page[(trailer + TrailerField.keyEpoch.offset)...]
        guard epoch.reversed().reduce(0, { $0 << 8 | Int($1) }) < Self.epochLimit else { return }
        pageCount += 1
        let nonce = page[trailer + TrailerField.nonce.offset..<trailer + TrailerField.tag.offset]
        var hasher = hashSeed
        hasher.combine(offset)
        page.feed(&hasher)
        let hash = hasher.finalize()
        if let known = sealed.updateValue(hash, forKey: nonce + epoch), known != hash {
            repetitionCount += 1
        }
    }
}
