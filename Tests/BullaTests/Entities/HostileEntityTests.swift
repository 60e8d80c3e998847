import Bulla
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `Hostile bytes` {
    /// Expects that the bytes either decode or are refused with a proper error.
    ///
    /// If they decode, the result can be encoded and decoded again.
    ///
    /// - Returns: whether they decode.
    func expectTotal(
        _ bytes: [UInt8], _ said: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Bool {
        do {
            let login = try decoded(Login.self, bytes)
            let once = try encoded(login)
            let twice = try encoded(decoded(Login.self, once))
            // A dictionary has no order, so its encodings can differ.
            #expect(
                once == twice || login.labels.count > 1, "\(said)", sourceLocation: sourceLocation)
            return true
        } catch {
            #expect(error is DecodingError, "\(said)", sourceLocation: sourceLocation)
            return false
        }
    }

    @Test func `that are cut off are refused`() throws {
        let whole = try encoded(Login.sample)
        for count in 0..<whole.count {
            let refused = refusal(Login.self, Array(whole.prefix(count)))
            #expect(refused?.kind == .corrupted)
            #expect(refused?.text.hasSuffix("the bytes end inside an item") == true)
        }
        #expect(refusal(Login.self, whole + [0])?.text.hasSuffix("follow the entity") == true)
    }

    @Test func `that differ in one byte decode or are refused`() throws {
        let whole = try encoded(Login.sample)
        var decodedCount = 0
        for index in whole.indices {
            for change in 1...UInt8.max {
                var bytes = whole
                bytes[index] ^= change
                if expectTotal(bytes, "byte \(index) changed by \(change)") { decodedCount += 1 }
            }
        }
        // Both happen: for example, a text still decodes if one of its letters becomes another
        // letter.
        #expect(decodedCount > 1000 && decodedCount < whole.count * 255 - 1000)
    }

    @Test(arguments: TestMode.seeds(2))
    func `that are random decode or are refused`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let whole = try encoded(Login.sample)
        for round in 0..<50_000 {
            var bytes = random.uniqueBytes(random.below(40))
            if round % 2 == 0 {
                let start = random.below(whole.count)
                bytes = whole.prefix(start) + bytes + whole.dropFirst(start + random.below(20))
            }
            _ = expectTotal(bytes, "round \(round), \(TestMode.replay(seed))")
            let nest = refusal(Nest.self, bytes)
            #expect(nest == nil || nest?.kind != nil, "round \(round), \(TestMode.replay(seed))")
        }
    }

    /// A length that claims more bytes than there are must not cause an allocation.
    @Test(arguments: [
        "9bffffffffffffffff", "bbffffffffffffffff", "5bffffffffffffffff", "7bffffffffffffffff",
        "9b7fffffffffffffff", "bb7fffffffffffffff", "5b7fffffffffffffff", "7b7fffffffffffffff",
        "9affffffff00", "baffffffff00", "5affffffff00", "7affffffff00", "8201", "a26161", "a161",
        "bb800000000000000161", "18", "19ff", "1b00000000000000",
    ])
    func `that promise more than there is are refused`(digits: String) throws {
        let text = "byte 0: the bytes end inside an item"
        for bytes in [bytes(digits), [0x81] + bytes(digits), bytes("a16161") + bytes(digits)] {
            for refused in [
                refusal(Nest.self, bytes), refusal([UInt8].self, bytes),
                refusal([String: Int].self, bytes),
            ] {
                #expect(refused?.kind == .corrupted)
                #expect(refused?.text.hasSuffix("the bytes end inside an item") == true)
            }
        }
        if digits.hasPrefix("9bff") { #expect(refusal(Nest.self, bytes(digits))?.text == text) }
    }

    @Test func `that are nested too deep are refused`() throws {
        try expectRoundTrip(Nest.deep(64))
        let text = "items are nested more than 64 deep"
        for depth in [65, 66, 1_000_000] {
            let lists = [UInt8](repeating: 0x81, count: depth) + [0]
            let refused = refusal(Nest.self, lists)
            #expect(refused?.kind == .corrupted)
            #expect(refused?.text == "byte 64: \(text)")
            // This holds even in parts that nobody reads.
            struct Nothing: Decodable {}
            #expect(refusal(Nothing.self, lists)?.kind == .corrupted)
        }
        let maps = (0..<130).map { $0 % 2 == 0 ? 0xA1 : UInt8(0x60) } + [0]
        #expect(refusal(Nest.self, maps)?.text == "byte 128: \(text)")
        #expect(encodingRefusal(Nest.deep(65))?.text == text)
        #expect(encodingRefusal(Nest.deep(10_000))?.text == text)
        let later = Custom { encoder in
            var container = encoder.unkeyedContainer()
            for _ in 0..<200 { container = container.nestedUnkeyedContainer() }
        }
        #expect(encodingRefusal(later)?.text == text)
    }

    @Test func `do not drive a type that hands itself on to the end of the stack`() throws {
        struct Endless: Codable {
            init() {}
            init(from decoder: any Decoder) throws {
                self = try decoder.singleValueContainer().decode(Endless.self)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(self)
            }
        }
        #expect(refusal(Endless.self, [0])?.text == "values are nested too deep")
        #expect(encodingRefusal(Endless()) != nil)
    }

    @Test func `with a key twice are refused`() throws {
        let text = "two keys of a map are the same"
        #expect(refusal([String: Int].self, bytes("a2616101616102"))?.text == "byte 4: \(text)")
        // This holds even if the head of the second key is encoded in a longer form. It also holds
        // in a large map, and in parts that nobody reads.
        #expect(refusal([String: Int].self, bytes("a261610178016102"))?.text == "byte 4: \(text)")
        let pairs: [UInt8] = (0..<20).flatMap { (number: UInt8) in [0x61, 0x61 + number, 0] }
        #expect(refusal([String: Int].self, [0xB4] + pairs) == nil)
        for first in [0, 5, 16, 18] {
            var twice = pairs
            twice[3 * 19 + 1] = twice[3 * first + 1]
            #expect(refusal([String: Int].self, [0xB4] + twice)?.text == "byte 58: \(text)")
            #expect(
                refusal(Login.Address.self, bytes("a1646e6f6e65") + [0xB4] + twice)?.kind
                    == .corrupted)
        }
        // The keys of a nested map are separate.
        #expect(refusal(Nest?.self, bytes("a26161a1616101616202"))?.kind != .corrupted)
    }

    @Test(arguments: ["61ff", "62c328", "64f4908080", "63eda080", "a161ff00", "62c0af"])
    func `with invalid texts are refused`(digits: String) throws {
        for bytes in [bytes(digits), [0x82, 0x00] + bytes(digits)] {
            let refused = refusal([String: Int].self, bytes)
            #expect(refused?.kind == .corrupted)
            #expect(refused?.text.hasSuffix("a text is not UTF-8") == true)
        }
    }
}

@Suite struct `Bytes that are written in secret memory` {
    @Test(arguments: TestMode.seeds(10))
    func `are those of an array`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        var writer = SecretWriter()
        var model: [UInt8] = []
        for _ in 0..<500 {
            let offset = random.below(model.count + 1)
            if random.isOne(in: 3) {
                let end = min(model.count, offset + random.below(60))
                writer.remove(offset..<end)
                model.removeSubrange(offset..<end)
            } else {
                let part = random.bytes(random.below(40) + 1)
                try writer.insert(part.count, at: offset)
                part.withBytes { part in
                    part.withView { part in
                        writer.withMutableView { $0.copy(part, to: offset) }
                    }
                }
                model.insert(contentsOf: part, at: offset)
            }
            #expect(writer.byteCount == model.count)
            #expect(writer.byteCapacity >= model.count)
        }
        #expect(writer.withView { $0.copied() } == model, "\(TestMode.replay(seed))")
        writer.removeAll()
        #expect(writer.withView { $0.byteCount } == 0)
    }

    @Test func `are zeros when room is made again where they were`() throws {
        var writer = SecretWriter()
        try writer.insert(100, at: 0)
        writer.withMutableView { $0.fill(0, 100, with: 0xEE) }
        writer.remove(10..<60)
        try writer.insert(50, at: 50)
        let left = [UInt8](repeating: 0xEE, count: 50)
        #expect(writer.withView { $0.copied() } == left + [UInt8](repeating: 0, count: 50))
    }
}
