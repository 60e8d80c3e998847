import Bulla
import BullaTestSupport
import Testing

@Suite struct `Containers that are held` {
    @Test func `may be written in turn`() throws {
        let entity = Custom { encoder in
            var outer = encoder.container(keyedBy: AnyKey.self)
            var one = outer.nestedUnkeyedContainer(forKey: "one")
            var two = outer.nestedContainer(keyedBy: AnyKey.self, forKey: "two")
            var three = outer.nestedUnkeyedContainer(forKey: "three")
            for number in 0..<300 {
                try one.encode(number)
                try two.encode(["\(number)"], forKey: AnyKey(stringValue: "\(number)"))
                try three.encode([number])
                if number % 100 == 0 { try outer.encode(number, forKey: "n\(number)") }
            }
        }
        struct Read: Decodable {
            var one: [Int]
            var two: [String: [String]]
            var three: [[Int]]
            var n0: Int
            var n100: Int
            var n200: Int
        }
        let read = try decoded(Read.self, encoded(entity))
        #expect(read.one == Array(0..<300))
        let pairs = (0..<300).map { ("\($0)", ["\($0)"]) }
        #expect(read.two == Dictionary(uniqueKeysWithValues: pairs))
        #expect(read.three == (0..<300).map { [$0] })
        #expect([read.n0, read.n100, read.n200] == [0, 100, 200])
    }

    /// Random nested lists, each of which is extended at random times, are compared with the same
    /// lists in memory.
    @Test(arguments: TestMode.seeds(20))
    func `hold what was written to each`(seed: UInt64) throws {
        final class Model {
            var items: [Model] = []
            var number: Int?

            var nest: Nest { number.map { .end($0) } ?? .list(items.map(\.nest)) }
        }
        let root = Model()
        let entity = Custom { encoder in
            var random = TestRandom(seed: seed)
            var open = [(encoder.unkeyedContainer(), root, 1)]
            for number in 0..<500 {
                let index = random.below(open.count)
                let item = Model()
                open[index].1.items.append(item)
                switch random.below(3) {
                case 0 where open[index].2 < 60:
                    let depth = open[index].2 + 1
                    open.append((open[index].0.nestedUnkeyedContainer(), item, depth))
                case 1:
                    item.number = number
                    let later = open[index].0.superEncoder()
                    var container = later.singleValueContainer()
                    try container.encode(number)
                default:
                    item.number = number << 20
                    try open[index].0.encode(number << 20)
                }
                #expect(open[index].0.count == open[index].1.items.count)
            }
        }
        #expect(try decoded(Nest.self, encoded(entity)) == root.nest, "\(TestMode.replay(seed))")
    }

    @Test func `leave nothing of what was refused`() throws {
        struct Stop: Error {}
        let broken = Custom { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            for number in 0..<30 { try container.encode(number, forKey: "k\(number)") }
            throw Stop()
        }
        let entity = Custom { encoder in
            var container = encoder.unkeyedContainer()
            var inner = container.nestedUnkeyedContainer()
            try container.encode(1)
            #expect(throws: Stop.self) { try container.encode(broken) }
            #expect(throws: Stop.self) { try inner.encode(broken) }
            var last = container.superEncoder().singleValueContainer()
            #expect(throws: Stop.self) { try last.encode(broken) }
            try last.encode("last")
            try inner.encode(2)
        }
        #expect(try encoded(entity) == bytes("83810201646c617374"))
        #expect(throws: Stop.self) { try encoded(broken) }
    }

    @Test func `are empty where nothing is written`() throws {
        let entity = Custom { encoder in
            var container = encoder.unkeyedContainer()
            try container.encode(Custom { _ in })
            _ = container.superEncoder()
            _ = container.nestedUnkeyedContainer()
        }
        #expect(try encoded(entity) == bytes("83a0a080"))
    }

    @Test func `are refused afterwards`() throws {
        final class Shelf { var container: (any UnkeyedEncodingContainer)? }
        let shelf = Shelf()
        let late = "a container was used after the value that it belongs to had been encoded"
        let keeping = Custom { shelf.container = $0.unkeyedContainer() }
        let entity = Custom { encoder in
            var container = encoder.unkeyedContainer()
            try container.encode(keeping)
            try container.encode(keeping)
            try shelf.container?.encode(1)
        }
        let refused = encodingRefusal(entity)
        #expect(refused?.text == late)
        #expect(refused?.path == ["Index 1", "Index 0"])
        _ = try encoded(keeping)
        #expect(throws: EncodingError.self) { try shelf.container?.encode(1) }
        #expect(shelf.container?.count == 0)
    }

    @Test func `of a decoder are refused afterwards`() throws {
        struct Keeping: Decodable {
            let decoder: any Decoder
            let map: KeyedDecodingContainer<AnyKey>

            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                map = try decoder.container(keyedBy: AnyKey.self)
            }
        }
        let kept = try decoded(Keeping.self, bytes("a1616101"))
        #expect(kept.map.allKeys.isEmpty)
        #expect(!kept.map.contains("a"))
        #expect(throws: DecodingError.self) { try kept.map.decode(Int.self, forKey: "a") }
        #expect(throws: DecodingError.self) { try [String: Int](from: kept.decoder) == [:] }
    }
}
