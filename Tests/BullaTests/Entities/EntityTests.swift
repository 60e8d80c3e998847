import Bulla
import BullaMemory
import BullaTestSupport
import Foundation
import Testing

@Suite struct `An entity that is encoded and decoded` {
    @Test(arguments: [Primitives(), .least, .greatest, .smallest])
    func `keeps every number and text to its bounds`(entity: Primitives) throws {
        try expectRoundTrip(entity)
    }

    @Test func `keeps the bits of floats`() throws {
        let doubles: [Double] = [
            0, -0.0, 0.1, 1.5, 1e300, .infinity, -.infinity, .pi, .leastNormalMagnitude,
            .nan, .signalingNaN, -.nan, Double(nan: 0x1234_5678, signaling: false),
        ]
        for number in doubles {
            let back = try decoded(Double.self, encoded(number))
            #expect(back.bitPattern == number.bitPattern)
        }
        let floats: [Float] = [
            0, -0.0, 0.1, .infinity, .nan, .signalingNaN, .leastNonzeroMagnitude,
        ]
        for number in floats {
            let back = try decoded(Float.self, encoded(number))
            #expect(back.bitPattern == number.bitPattern)
            #expect(try decoded(Double.self, encoded(number)).isNaN == number.isNaN)
        }
        try expectRoundTrip([Float16(1.5), .greatestFiniteMagnitude])
    }

    @Test func `keeps what it has inside`() throws {
        try expectRoundTrip(Login.sample)
        try expectRoundTrip(Nest.list([.end(1), .list([]), .list([.end(2), .end(-3)])]))
        try expectRoundTrip([Contact.none, .mail("a"), .phone(country: 1, number: "")])
        try expectRoundTrip([[Color.red: 1], [.green: 2, .red: 3]])
    }

    @Test func `may be any value`() throws {
        try expectRoundTrip(7)
        try expectRoundTrip("text")
        try expectRoundTrip(true)
        try expectRoundTrip(Int?.none)
        try expectRoundTrip([Int?.none, 3])
        try expectRoundTrip(Optional([1]))
        try expectRoundTrip([UInt8]())
        try expectRoundTrip([[UInt8]]([[], [1, 255]]))
        try expectRoundTrip(Set([1, 2, 3]))
        try expectRoundTrip(ContiguousArray<UInt8>([1, 200]))
        try expectRoundTrip(1..<5)
    }

    @Test func `keeps the types of the system`() throws {
        try expectRoundTrip(Date(timeIntervalSinceReferenceDate: 1.25))
        try expectRoundTrip(UUID())
        try expectRoundTrip(Data([0, 24, 255]))
        try expectRoundTrip(Decimal(string: "-1.5"))
        try expectRoundTrip(try #require(URL(string: "https://www.swift.org")))
    }

    @Test func `keeps dictionaries, by names and by numbers`() throws {
        let names = Dictionary(uniqueKeysWithValues: (0..<300).map { ("key \($0)", $0) })
        try expectRoundTrip(names)
        let numbers = Dictionary(uniqueKeysWithValues: (-150..<150).map { ($0, "\($0)") })
        try expectRoundTrip(numbers)
        try expectRoundTrip([[1, 2]: "a list of keys and values"])
        try expectRoundTrip(["": ["": [String: Int]()]])
    }

    @Test func `keeps long arrays in order`() throws {
        try expectRoundTrip(Array(0..<10_000))
        try expectRoundTrip((0..<10_000).map { Login.Address(host: "\($0)", ports: [], note: nil) })
        try expectRoundTrip((0..<70_000).map { $0 % 3 == 0 })
    }

    @Test func `keeps what a class and the one above it have`() throws {
        let dog = try decoded(Dog.self, encoded(Dog(name: "Rex", age: 3)))
        #expect(dog.name == "Rex" && dog.age == 3)
        let cat = try decoded(Cat.self, encoded(Cat(name: "Tom", lives: 9)))
        #expect(cat.name == "Tom" && cat.lives == 9)
        // The dog has an inner map for its superclass, the cat does not.
        let dogBytes = bytes("a2657375706572a1646e616d6561526361676503")
        #expect(try encoded(Dog(name: "R", age: 3)) == dogBytes)
        let catBytes = bytes("a2656c6976657309646e616d656154")
        #expect(try encoded(Cat(name: "T", lives: 9)) == catBytes)
    }

    @Test func `is told what the caller says`() throws {
        struct Told: Codable {
            var text: String

            static let key = CodingUserInfoKey(rawValue: "text")

            init() { text = "" }

            init(from decoder: any Decoder) throws {
                text =
                    try Self.key.flatMap { decoder.userInfo[$0] as? String } ?? ""
                    + decoder.singleValueContainer().decode(String.self)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Self.key.flatMap { encoder.userInfo[$0] as? String } ?? "")
            }
        }
        let key = try #require(Told.key)
        var encoder = EntityEncoder()
        encoder.userInfo[key] = "said"
        var decoder = EntityDecoder()
        decoder.userInfo[key] = "heard"
        #expect(try encoded([Told()], by: encoder) == bytes("816473616964"))
        #expect(try decoded([Told].self, bytes("816473616964"), by: decoder)[0].text == "heard")
    }

    @Test func `leaves its memory to the next one`() throws {
        var writer = SecretWriter()
        let encoder = EntityEncoder()
        try encoder.encode(String(repeating: "a", count: 5000), into: &writer)
        let capacity = writer.byteCapacity
        try encoder.encode(7, into: &writer)
        #expect(writer.withView { $0.copied() } == [7])
        #expect(throws: EncodingError.self) {
            try encoder.encode([["x": Int128(1)]], into: &writer)
        }
        #expect(writer.byteCount == 0)
        #expect(writer.byteCapacity == capacity)
    }
}
