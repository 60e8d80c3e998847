import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Parts of files")
struct ByteRangeTests {
    /// The part according to its definition: the bytes whose numbers the range names.
    private func model(_ first: Int?, _ last: Int?, of count: Int) -> ByteRange {
        let named: [Int]
        switch (first, last) {
        case (nil, nil): return .all
        case (nil, let suffix?): named = (0..<count).filter { $0 >= count - suffix }
        case (let first?, nil): named = (0..<count).filter { $0 >= first }
        case (let first?, let last?):
            guard first <= last else { return .all }
            named = (0..<count).filter { $0 >= first && $0 <= last }
        }
        guard let low = named.first, let high = named.last else { return .unsatisfiable }
        return .part(UInt64(low)..<UInt64(high) + 1)
    }

    @Test("Every part of small files is what it names")
    func all() {
        let numbers: [Int?] = [nil] + (0...5).map { $0 }
        for count in 0...4 {
            for first in numbers {
                for last in numbers {
                    let text =
                        "bytes=" + (first.map { "\($0)" } ?? "") + "-"
                        + (last.map { "\($0)" } ?? "")
                    #expect(ByteRange(text, of: UInt64(count)) == model(first, last, of: count))
                }
            }
        }
    }

    @Test("Numbers of any size are read")
    func large() {
        let large = "99999999999999999999999"
        #expect(ByteRange("bytes=0-\(large)", of: 10) == .part(0..<10))
        #expect(ByteRange("bytes=-\(large)", of: 10) == .part(0..<10))
        #expect(ByteRange("bytes=\(large)-", of: 10) == .unsatisfiable)
        #expect(ByteRange("bytes=\(large)-\(large)", of: 10) == .unsatisfiable)
        #expect(ByteRange("BYTES=0007-0008", of: 10) == .part(7..<9))
        #expect(ByteRange("bytes=0-0", of: .max) == .part(0..<1))
        #expect(ByteRange("bytes=-1", of: .max) == .part(.max - 1 ..< .max))
    }

    @Test(
        "What is not understood asks for all of it",
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=1", "bytes=a-b", "bytes=1-2,4-5", "bytes= 1-2",
            "items=1-2", "bytes=1-2-3", "bytes=+1-2", "bytes=1--2", "bytes=0x1-2", "bytes=\u{661}-",
        ])
    func others(text: String) { #expect(ByteRange(text, of: 10) == .all) }

    @Test("A file without bytes has no part")
    func empty() {
        #expect(ByteRange(nil, of: 0) == .all)
        #expect(ByteRange("bytes=0-", of: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-5", of: 0) == .unsatisfiable)
    }
}
