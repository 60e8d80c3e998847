import Bulla
import BullaTestSupport
import Testing

/// A source lends its bytes to a closure, which may make any value of them.
@Suite struct `Bytes that are lent` {
    /// A value that cannot be copied.
    private struct Sum: ~Copyable {
        let value: Int

        init(_ bytes: RawSpan) {
            value = [UInt8](copying: bytes).reduce(0) { $0 + Int($1) }
        }
    }

    private func sum(of source: some ByteSource) -> Int {
        let made = source.withBytes { Sum($0) }
        return made.value
    }

    @Test func `become a value that cannot be copied`() throws {
        let expected = 97 + 98 + 99
        let (bytes, text): ([UInt8], String) = ([97, 98, 99], "abc")
        #expect(sum(of: bytes) == expected && sum(of: bytes[...]) == expected)
        #expect(sum(of: text) == expected && sum(of: text[...]) == expected)
        let literal: StaticString = "abc"
        #expect(sum(of: literal) == expected && sum(of: TreeName(text)) == expected)
        let secret = try Secret(text)
        let made = secret.withBytes { Sum($0) }
        let value = made.value
        #expect(value == expected)
    }
}
