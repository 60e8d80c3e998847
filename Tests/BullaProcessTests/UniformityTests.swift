import Bulla
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `The bytes of pages` {
    private static let pageByteCount = 4096
    /// How many bytes of a page are tested: all but the key epoch at its end, a number in the
    /// clear.
    private static let testedByteCount = pageByteCount - 4
    private static let preambleByteCount = 65536

    /// Far above the statistic of uniform bytes, whose mean is 255, and whose deviation is 22.6.
    private static let limitOfAll = 450.0
    /// The same for the greatest of several thousand columns.
    private static let limitOfColumn = 600.0

    private struct Deviations {
        var all: Double
        var greatestColumn: Double
    }

    @Test(arguments: StoreKind.allCases)
    func `are uniform where they are encrypted, and only there`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        let pages = try writtenPages(files, kind)
        let deviations = deviations(pages)
        if kind == .plain {
            #expect(deviations.all > Self.limitOfAll)
            #expect(deviations.greatestColumn > Self.limitOfColumn)
        } else {
            #expect(deviations.all < Self.limitOfAll)
            #expect(deviations.greatestColumn < Self.limitOfColumn)
        }
    }

    /// All pages ever written: those that the roots reach, and older versions of some.
    private func writtenPages(_ files: TestStore, _ kind: StoreKind) throws -> [ArraySlice<UInt8>] {
        let store = try files.open { options in
            options.pageByteCount = Self.pageByteCount
            options.fixLog(halfByteCount: 64 << 10)
        }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "zeros")
            for index in 0..<20_000 {
                try change.put(
                    [UInt8](repeating: 0, count: 100), forKey: UInt64(index).bytes, in: tree)
            }
            try change.put([UInt8](repeating: 0, count: 400_000), forKey: "large", in: tree)
        }
        let info = try store.info
        try store.close()
        let bytes = try files.scratch.bytes(TestStore.name)
        let written = stride(
            from: Self.preambleByteCount, to: Int(info.pageCount) * Self.pageByteCount,
            by: Self.pageByteCount
        ).map { bytes[$0..<$0 + Self.testedByteCount] }.filter { $0.contains { $0 != 0 } }
        // Leave out the pages where a segment of the log begins, in which zeros have replaced what
        // was there before.
        let pages = written.filter { kind == .plain || !hasZeros($0) }
        #expect(written.count - pages.count <= 4)
        // No page with content was left out.
        #expect(pages.count >= info.livePageCount)
        #expect(pages.count > 500)
        return pages
    }

    /// Whether a page has more successive zeros than any sealed page has.
    private func hasZeros(_ page: ArraySlice<UInt8>) -> Bool {
        var count = 0
        return page.contains { byte in
            count = byte == 0 ? count + 1 : 0
            return count == 64
        }
    }

    private func deviations(_ pages: [ArraySlice<UInt8>]) -> Deviations {
        var all = [Int](repeating: 0, count: 256)
        var columns = [[Int]](
            repeating: [Int](repeating: 0, count: 256), count: Self.testedByteCount)
        for page in pages {
            for (column, byte) in page.enumerated() {
                all[Int(byte)] += 1
                columns[column][Int(byte)] += 1
            }
        }
        return Deviations(
            all: chiSquare(all), greatestColumn: columns.map { chiSquare($0) }.max() ?? 0)
    }

    /// Pearson's statistic of 256 counts against equal ones.
    private func chiSquare(_ counts: [Int]) -> Double {
        let expected = Double(counts.reduce(0, +)) / 256
        return counts.map { Double($0) - expected }.reduce(0) { $0 + $1 * $1 } / expected
    }
}
