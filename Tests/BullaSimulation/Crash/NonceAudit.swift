internal import Bulla
internal import BullaCipher

/// Looks at every sealed page that was ever written under one store's keys: no two different ones
/// may have a nonce in common.
///
/// A page that is written again byte for byte, as recovery does, is no second page.
package struct NonceAudit {
    private let pageByteCount: Int
    /// What was sealed under each key epoch and nonce.
    private var sealed: [ArraySlice<UInt8>: Int] = [:]
    private let hashSeed = Hasher()
    /// How many pages were looked at.
    package private(set) var pageCount = 0
    /// How many had a nonce that another page had before.
    package private(set) var repetitionCount = 0

    package init(pageByteCount: Int) { self.pageByteCount = pageByteCount }

    /// How many different nonces were met.
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

    /// More key epochs than any store here comes to.
    private static let epochLimit = 1 << 10

    /// Pages are written whole, in their places; frames of a log are not.
    private func isOfPages(_ offset: UInt64, _ byteCount: Int) -> Bool {
        offset.isMultiple(of: UInt64(pageByteCount)) && byteCount.isMultiple(of: pageByteCount)
    }

    private mutating func add(_ page: ArraySlice<UInt8>, at offset: UInt64) {
        let trailer = page.endIndex - TrailerField.totalByteCount
        guard page.count == pageByteCount, page[trailer...].contains(where: { $0 != 0 }) else {
            return  // Zeros, which growth writes.
        }
        // The halves of a log are filled with random bytes, and written again with frames in them.
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
