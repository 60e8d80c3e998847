import Bulla
import BullaTestSupport
import Testing

@Suite struct `A secret that a caller has` {
    @Test(arguments: [1, 63, 64, 4095, 4096])
    func `has the bytes that were put in`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let secret = try bytes.withBytes { try Secret($0) }
        #expect(secret.byteCount == count)
        #expect(secret.withBytes { $0.copied() } == bytes)
    }

    @Test(arguments: [0, 4097, 10_000])
    func `has 1 to 4096 bytes`(count: Int) throws {
        let error = refusal {
            _ = try [UInt8](repeating: 9, count: count).withBytes { try Secret($0) }
        }
        #expect(error?.code == .invalidArgument)
        #expect(error.says("4096"))
        let text = refusal { _ = try Secret(String(repeating: "x", count: count)) }
        #expect(text?.code == .invalidArgument)
    }

    @Test func `has the bytes of a text as they are, not normalized and not trimmed`() throws {
        // The same letter in two forms, which are equal as strings.
        let (composed, decomposed) = ("caf\u{E9}\n", "cafe\u{301}\n")
        #expect(composed == decomposed)
        for text in [composed, decomposed, " ", "a\0b"] {
            #expect(try Secret(text).withBytes { $0.copied() } == Array(text.utf8))
        }
    }

    @Test func `prints, dumps and reflects nothing of itself`() throws {
        let secret = try Secret("open sesame")
        var dumped = ""
        dump(["of": secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            #expect(text.contains("secret"))
            #expect(!text.contains("sesame") && !text.contains("111, 112") && !text.contains("11"))
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(!((secret as Any) is any Encodable) && !((secret as Any) is any Decodable))
        #expect(!((secret as Any) is any Equatable))
    }
}
