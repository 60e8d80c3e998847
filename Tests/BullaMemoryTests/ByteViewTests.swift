import BullaMemory
import Testing

@Suite struct `A view of bytes` {
    private static let byteCounts = 0...40

    @Test func `is zero where every byte is, at any count and place`() {
        for byteCount in Self.byteCounts {
            let zeros = [UInt8](repeating: 0, count: byteCount)
            #expect(zeros.withView { $0.isZero })
            for index in zeros.indices {
                var bytes = zeros
                bytes[index] = 1 << (index % 8)
                #expect(bytes.withView { !$0.isZero })
            }
        }
    }

    @Test func `is text unless a byte stands somewhere that no text has`() {
        for byteCount in Self.byteCounts {
            let letters = [UInt8](repeating: UInt8(ascii: "a"), count: byteCount)
            #expect(letters.withView { $0.isText })
            #expect(letters.withView { $0.validText } == String(repeating: "a", count: byteCount))
            for index in letters.indices {
                var bytes = letters
                bytes[index] = 0x80
                #expect(bytes.withView { !$0.isText })
            }
        }
    }

    @Test func `is text with letters of several bytes, wherever they stand`() {
        for byteCount in Self.byteCounts {
            for place in 0...byteCount {
                var text = String(repeating: "a", count: byteCount)
                text.insert("\u{e9}", at: text.index(text.startIndex, offsetBy: place))
                #expect(Array(text.utf8).withView { $0.isText })
                #expect(Array(text.utf8).withView { $0.validText } == text)
            }
        }
    }
}
