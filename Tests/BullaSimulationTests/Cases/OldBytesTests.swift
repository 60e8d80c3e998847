import Bulla
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Testing

/// Bytes of a store that were valid at another time or place.
@Suite struct `Bytes from another time` {
    @Test("14. A sealed page of a copy, of the same place and commit, is refused by its name")
    func pageOfCopy() throws { try OldBytes.spliceCopies(.usual) }

    @Test("14. A page of a copy of a plain store is refused likewise")
    func pageOfPlainCopy() throws {
        try OldBytes.spliceCopies(Configuration(suite: nil, pageByteCount: 4096))
    }

    @Test("15. An older meta page put back does not take a commit away")
    func oldMeta() throws { try OldBytes.putBackMeta(.usual) }

    @Test("12. A bit flipped in one meta page costs nothing; in both it is told")
    func flippedMeta() throws {
        let store = try ClosedStore(.usual, seed: 3)
        for bit in 0..<MetaField.byteCount * 8 where TestMode.isLong || bit % 37 == 0 {
            var images = [store.image, store.image, store.image]
            for slot in 0..<MetaPage.slotCount {
                let byte = Int(MetaPage.offset(slot: slot)) + bit / 8
                images[slot].change { $0[byte] ^= 1 << UInt8(bit % 8) }
                images[2].change { $0[byte] ^= 1 << UInt8(bit % 8) }
            }
            for image in images[..<2] { try store.expectSame(image) }
            let error = refusal { try store.expectSame(images[2]) }
            #expect(error?.code == .corrupted, "bit \(bit)")
        }
    }
}

/// Attacks with old bytes; each throws a finding if the store believes them.
enum OldBytes {
    /// Lets two copies of a file go their own ways, and puts pages of one into the other.
    static func spliceCopies(_ configuration: Configuration) throws {
        let origin = try ClosedStore(configuration, seed: 1)
        let (one, other) = (try origin.continued(seed: 11), try origin.continued(seed: 12))
        try demand(one.version.commit == other.version.commit, "the copies are of one age")
        let size = configuration.pageByteCount
        var refusalCount = 0
        let (bytes, others) = (one.image.store, other.image.store)
        for start in stride(
            from: PageFormat.preambleByteCount, to: min(bytes.count, others.count), by: size)
        where bytes[start..<start + size] != others[start..<start + size] {
            var image = one.image
            image.change {
                $0.replaceSubrange(start..<start + size, with: others[start..<start + size])
            }
            try Finding.within("page \(start / size)") {
                refusalCount += try one.readAll(image)
            }
        }
        try demand(refusalCount > 0, "no page of the one was read in the other")
    }

    /// Restores an older meta page in each slot in turn, and cuts the file to the length that the
    /// older page records.
    static func putBackMeta(_ configuration: Configuration) throws {
        let old = try ClosedStore(configuration, seed: 2)
        let new = try old.continued(seed: 21, pageCount: 200)
        let pageCount = old.record(slot: 0).pageCount
        try demand(new.record(slot: 0).pageCount > pageCount, "the store has grown")
        for slot in 0..<MetaPage.slotCount {
            var image = new.image
            let offset = Int(MetaPage.offset(slot: slot))
            let range = offset..<offset + MetaField.byteCount
            image.change { $0.replaceSubrange(range, with: old.image.store[range]) }
            try new.expectSame(image)
            image.change { $0.removeSubrange((Int(pageCount) * configuration.pageByteCount)...) }
            let error = refusal { _ = try new.opened(image) }
            try demand(error?.code == .corrupted, "a commit was taken away")
        }
    }
}
