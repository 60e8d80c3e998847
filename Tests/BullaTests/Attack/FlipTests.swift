import Bulla
import BullaTestSupport
import Testing

/// Whatever happens to the bytes of a closed store, reading gives an error or what was stored.
@Suite struct `A store whose file was changed` {
    private static let sampleCount = TestMode.pick(short: 40, long: 0)

    @Test(arguments: StoreKind.allCases, TestMode.seeds(1))
    func `12. in any one byte gives an error or the same data`(kind: StoreKind, seed: UInt64) throws
    {
        let store = try AttackedStore(kind)
        var random = TestRandom(seed: seed)
        for offset in offsets(store.image, &random) {
            var image = store.image
            image.bytes[offset] ^= UInt8(1 + random.below(255))
            let contents = try store.outcome(of: image)
            #expect(
                contents == nil || contents == store.contents,
                "byte \(offset), BULLA_SEED=\(seed)")
        }
    }

    /// Every byte in the long mode; otherwise a few of each part of the file.
    private func offsets(_ image: StoreImage, _ random: inout TestRandom) -> [Int] {
        guard !TestMode.isLong else { return Array(image.bytes.indices) }
        let parts = [0..<64, 4096..<4300, 8192..<8500, 40_960..<41_268, 65_536..<image.bytes.count]
        return (0..<Self.sampleCount).map { number in
            let part = parts[number % parts.count]
            return part.lowerBound + random.below(part.count)
        }
    }

    @Test(arguments: StoreKind.allCases, TestMode.seeds(1))
    func `in a page of zeros or of noise gives an error or the same data`(
        kind: StoreKind, seed: UInt64
    ) throws {
        let store = try AttackedStore(kind)
        var random = TestRandom(seed: seed)
        var refusals = 0
        let numbers = store.treePages.prefix(TestMode.pick(short: 12, long: .max))
        for number in numbers {
            for page in [[UInt8](repeating: 0, count: 4096), random.bytes(4096)] {
                var image = store.image
                image.setPage(number, page)
                let contents = try store.outcome(of: image)
                #expect(contents == nil || contents == store.contents, "page \(number)")
                refusals += contents == nil ? 1 : 0
            }
        }
        // The pages that hold the data were among those tried.
        #expect(refusals >= 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `13. by exchanging two pages gives an error or the same data`(kind: StoreKind) throws {
        let store = try AttackedStore(kind)
        let numbers = store.treePages.prefix(TestMode.pick(short: 5, long: 40))
        for left in numbers {
            for right in numbers where left < right {
                var image = store.image
                image.setPage(left, store.image.page(right))
                image.setPage(right, store.image.page(left))
                let contents = try store.outcome(of: image)
                #expect(
                    contents == nil || contents == store.contents, "pages \(left) and \(right)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `14. by putting an older page back gives an error or the same data`(kind: StoreKind) throws
    {
        // In each image, the same page numbers hold another version of the same tree's pages.
        let scratch = try Scratch()
        let path = scratch.path("s.bulla")
        var images: [StoreImage] = []
        var contents: [StoreContents] = []
        for version in 0..<TestMode.pick(short: 3, long: 12) {
            try fill(path, kind, version)
            contents.append(try StoreContents(of: path, kind))
            images.append(StoreImage(try scratch.bytes("s.bulla")))
        }
        let newest = try #require(images.last)
        for older in images.dropLast() {
            for number in older.pageNumbers where newest.pageNumbers.contains(number) {
                guard older.page(number) != newest.page(number) else { continue }
                var image = newest
                image.setPage(number, older.page(number))
                try scratch.write(image.bytes, to: "s.bulla")
                let found = try? StoreContents(of: path, kind)
                #expect(found == nil || found == contents.last, "page \(number)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `15. by putting older meta slots back never gives a mixture`(kind: StoreKind) throws {
        let scratch = try Scratch()
        let path = scratch.path("s.bulla")
        var images: [StoreImage] = []
        var contents: [StoreContents] = []
        for version in 0..<6 {
            try fill(path, kind, version)
            contents.append(try StoreContents(of: path, kind))
            images.append(StoreImage(try scratch.bytes("s.bulla")))
        }
        let newest = try #require(images.last)
        for older in images.dropLast() {
            for slots in [[0], [1], [0, 1]] {
                var image = newest
                for slot in slots {
                    let range = slot * 32768 + 8192..<slot * 32768 + 8704
                    image.bytes.replace(at: range.lowerBound, with: Array(older.bytes[range]))
                }
                try scratch.write(image.bytes, to: "s.bulla")
                let found = try? StoreContents(of: path, kind)
                // If one slot is replaced, the other still names the newest commit; if both are,
                // the file is an older store as a whole.
                let allowed = slots.count == 1 ? [newestOf(contents)] : contents
                #expect(found == nil || allowed.contains { $0 == found })
            }
        }
    }

    private func newestOf(_ contents: [StoreContents]) -> StoreContents {
        contents[contents.count - 1]
    }

    @Test(arguments: StoreKind.allCases)
    func `17. by pages of another store under the same key gives an error or the same data`(
        kind: StoreKind
    ) throws {
        let store = try AttackedStore(kind)
        let other = try AttackedStore(kind, versions: 2)
        for number in store.image.pageNumbers where other.image.pageNumbers.contains(number) {
            var image = store.image
            image.setPage(number, other.image.page(number))
            let contents = try store.outcome(of: image)
            #expect(contents == nil || contents == store.contents, "page \(number)")
        }
        for part in [4096..<8192, 8192..<8704] {
            var image = store.image
            for copy in [0, 32768] {
                let range = part.lowerBound + copy..<part.upperBound + copy
                image.bytes.replace(at: range.lowerBound, with: Array(other.image.bytes[range]))
            }
            let contents = try store.outcome(of: image)
            #expect(contents == nil || (kind == .plain && contents == store.contents))
        }
    }

    @Test(arguments: StoreKind.allCases, TestMode.seeds(1))
    func `by cutting it short gives an error or the same data`(
        kind: StoreKind, seed: UInt64
    ) throws {
        let store = try AttackedStore(kind)
        var random = TestRandom(seed: seed)
        for _ in 0..<TestMode.pick(short: 20, long: 3000) {
            var image = store.image
            image.bytes.removeLast(random.below(image.bytes.count + 1))
            let contents = try store.outcome(of: image)
            #expect(
                contents == nil || contents == store.contents,
                "\(image.bytes.count) bytes, BULLA_SEED=\(seed)")
        }
    }

    private func fill(_ path: String, _ kind: StoreKind, _ version: Int) throws {
        let store = try kind.open(path, pageByteCount: 4096)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "pets")
            for number in 0..<200 {
                try change.put("version \(version)", forKey: "key \(number)", in: tree)
            }
        }
        try store.close()
    }
}
