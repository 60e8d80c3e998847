import Bulla
import BullaTestSupport
import Testing

/// - Source: RFC 8949, appendix A.
@Suite struct `The examples of CBOR` {
    static let integers: [(String, UInt64)] = [
        ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100),
        ("1903e8", 1000), ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000),
        ("1bffffffffffffffff", 18_446_744_073_709_551_615),
    ]

    @Test(arguments: integers)
    func `of integers decode, and encode`(digits: String, number: UInt64) throws {
        #expect(try decoded(UInt64.self, bytes(digits)) == number)
        #expect(try encoded(number) == bytes(digits))
        guard let number = Int(exactly: number) else { return }
        #expect(try decoded(Int.self, bytes(digits)) == number)
        #expect(try encoded(number) == bytes(digits))
    }

    static let negatives = [("20", -1), ("29", -10), ("3863", -100), ("3903e7", -1000)]

    @Test(arguments: negatives)
    func `of negative integers decode, and encode`(digits: String, number: Int) throws {
        #expect(try decoded(Int.self, bytes(digits)) == number)
        #expect(try encoded(number) == bytes(digits))
    }

    static let floats: [(String, Double)] = [
        ("f90000", 0.0), ("f98000", -0.0), ("f93c00", 1.0), ("fb3ff199999999999a", 1.1),
        ("f93e00", 1.5), ("f97bff", 65504.0), ("fa47c35000", 100_000.0),
        ("fa7f7fffff", 3.4028234663852886e+38), ("fb7e37e43c8800759c", 1.0e+300),
        ("f90001", 5.960464477539063e-8), ("f90400", 0.00006103515625), ("f9c400", -4.0),
        ("fbc010666666666666", -4.1), ("f97c00", .infinity), ("f9fc00", -.infinity),
        ("fa7f800000", .infinity), ("faff800000", -.infinity), ("fb7ff0000000000000", .infinity),
        ("fbfff0000000000000", -.infinity),
        // The smallest integer of CBOR.
        ("3bffffffffffffffff", -18_446_744_073_709_551_616.0),
    ]

    @Test(arguments: floats)
    func `of floats decode`(digits: String, number: Double) throws {
        let back = try decoded(Double.self, bytes(digits))
        #expect(back == number && back.sign == number.sign)
    }

    @Test(arguments: ["f97e00", "fa7fc00000", "fb7ff8000000000000"])
    func `of what is no number decode`(digits: String) throws {
        #expect(try decoded(Double.self, bytes(digits)).isNaN)
        #expect(try decoded(Float.self, bytes(digits)).isNaN)
    }

    static let shortest: [(String, Double)] = [
        ("fb3ff199999999999a", 1.1), ("fa47c35000", 100_000.0),
        ("fa7f7fffff", 3.4028234663852886e+38), ("fb7e37e43c8800759c", 1.0e+300),
        ("fbc010666666666666", -4.1), ("fa7f800000", .infinity), ("fa7fc00000", .nan),
        ("faff800000", -.infinity), ("fa3fc00000", 1.5),
    ]

    @Test(arguments: shortest)
    func `of floats encode in four bytes or eight`(digits: String, number: Double) throws {
        #expect(try encoded(number) == bytes(digits))
    }

    @Test func `of booleans and null decode, and encode`() throws {
        #expect(try decoded(Bool.self, bytes("f4")) == false)
        #expect(try decoded(Bool.self, bytes("f5")) == true)
        #expect(try decoded(Int?.self, bytes("f6")) == nil)
        #expect(try encoded(false) == bytes("f4"))
        #expect(try encoded(true) == bytes("f5"))
        #expect(try encoded(Int?.none) == bytes("f6"))
    }

    static let texts = [
        ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", "\"\\"),
        ("62c3bc", "\u{00fc}"), ("63e6b0b4", "\u{6c34}"), ("64f0908591", "\u{10151}"),
    ]

    @Test(arguments: texts)
    func `of texts decode, and encode`(digits: String, text: String) throws {
        #expect(try decoded(String.self, bytes(digits)) == text)
        #expect(try encoded(text) == bytes(digits))
    }

    @Test func `of byte strings decode, and encode`() throws {
        for (digits, content) in [("40", []), ("4401020304", [1, 2, 3, 4])] as [(String, [UInt8])] {
            #expect(try decoded([UInt8].self, bytes(digits)) == content)
            #expect(try encoded(content) == bytes(digits))
        }
        // Bytes can also be encoded as an array, and numbers as a byte string.
        #expect(try decoded([UInt8].self, bytes("8301181818ff")) == [1, 24, 255])
        #expect(try decoded([Int].self, bytes("4401020304")) == [1, 2, 3, 4])
    }

    @Test func `of arrays decode, and encode`() throws {
        #expect(try decoded([Int].self, bytes("80")) == [])
        #expect(try encoded([Int]()) == bytes("80"))
        #expect(try decoded([Int].self, bytes("83010203")) == [1, 2, 3])
        #expect(try encoded([1, 2, 3]) == bytes("83010203"))
        let nest = Nest.list([.end(1), .list([.end(2), .end(3)]), .list([.end(4), .end(5)])])
        #expect(try decoded(Nest.self, bytes("8301820203820405")) == nest)
        #expect(try encoded(nest) == bytes("8301820203820405"))
        let long = "98190102030405060708090a0b0c0d0e0f101112131415161718181819"
        #expect(try decoded([Int].self, bytes(long)) == Array(1...25))
        #expect(try encoded(Array(1...25)) == bytes(long))
    }

    @Test func `of maps decode, and encode`() throws {
        struct Pair: Codable, Equatable {
            var a: Int
            var b: [Int]
        }
        #expect(try decoded([String: Int].self, bytes("a0")) == [:])
        #expect(try encoded([String: Int]()) == bytes("a0"))
        #expect(try decoded(Pair.self, bytes("a26161016162820203")) == Pair(a: 1, b: [2, 3]))
        #expect(try encoded(Pair(a: 1, b: [2, 3])) == bytes("a26161016162820203"))
        let five = "a56161614161626142616361436164614461656145"
        let letters = ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]
        #expect(try decoded([String: String].self, bytes(five)) == letters)
    }

    /// What entities exclude: maps with numbers as keys, tags, other simple values, and items of
    /// indefinite length.
    @Test(arguments: [
        "a201020304", "c074323031332d30332d32315432303a30343a30305a", "c11a514b67b0",
        "c1fb41d452d9ec200000", "d74401020304", "d818456449455446", "c249010000000000000000",
        "f7", "f0", "f8ff", "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff",
        "9f018202039f0405ffff", "83018202039f0405ff", "bf61610161629f0203ffff",
        "826161bf61626163ff", "ff",
    ])
    func `of what entities do not have are refused`(digits: String) throws {
        struct Nothing: Decodable {}
        #expect(refusal(Nothing.self, bytes(digits))?.kind == .corrupted)
    }
}
