import Bulla
import BullaTestSupport
import Testing

@Suite struct `A model that changes` {
    struct First: Codable, Equatable {
        var name = "Ada"
        var year = 1815
        var notes = ["a", "b"]
        var rank: Int?
    }

    /// One property is new and optional, one is gone, and the others are in a different order.
    struct Second: Codable, Equatable {
        var added: [Int]?
        var year: Int
        var name: String
        var rank: Int?
    }

    @Test func `reads what it encoded before`() throws {
        let second = try decoded(Second.self, encoded(First()))
        #expect(second == Second(added: nil, year: 1815, name: "Ada", rank: nil))
    }

    @Test func `may be read by what it was before, without what that needs`() throws {
        struct Small: Codable, Equatable { var name: String }
        let second = Second(added: [1], year: 2, name: "b", rank: 3)
        #expect(try decoded(Small.self, encoded(second)) == Small(name: "b"))
        let refused = refusal(First.self, try encoded(second))
        #expect(refused?.kind == .missing)
        #expect(refused?.path == [])
    }

    @Test func `finds keys in any order, behind what it leaves out`() throws {
        let keys = (0..<40).map { "key \($0)" }
        let entity = Custom { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            for (number, key) in keys.enumerated() {
                try container.encode([[number]], forKey: AnyKey(stringValue: key))
            }
        }
        struct Reader: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                #expect(container.allKeys.map(\.stringValue) == (0..<40).map { "key \($0)" })
                var random = TestRandom(seed: 1)
                for _ in 0..<400 {
                    let number = random.below(50)
                    let key = AnyKey(stringValue: "key \(number)")
                    #expect(container.contains(key) == (number < 40))
                    let value = try container.decodeIfPresent([[Int]].self, forKey: key)
                    #expect(value == (number < 40 ? [[number]] : nil))
                }
            }
        }
        _ = try decoded(Reader.self, encoded(entity))
    }

    @Test func `may make a number wider, or optional, or a float`() throws {
        #expect(try decoded(Int64.self, encoded(UInt8(200))) == 200)
        #expect(try decoded(Int8.self, encoded(-128)) == -128)
        #expect(try decoded(Int?.self, encoded(5)) == 5)
        #expect(try decoded(Double.self, encoded(1 << 53)) == 9_007_199_254_740_992)
        #expect(try decoded(Float.self, encoded(-16_777_216)) == -16_777_216)
        #expect(try decoded(Float.self, encoded(0.5)) == 0.5)
        // Inexact numbers are refused.
        #expect(refusal(Double.self, try encoded(1 << 53 + 1))?.kind == .corrupted)
        #expect(refusal(Float.self, try encoded(0.1))?.kind == .corrupted)
        #expect(refusal(Int8.self, try encoded(128))?.kind == .corrupted)
        #expect(refusal(UInt.self, try encoded(-1))?.kind == .corrupted)
        #expect(refusal(Int.self, try encoded(UInt64.max))?.kind == .corrupted)
        #expect(refusal(Int.self, bytes("3bffffffffffffffff"))?.kind == .corrupted)
        #expect(refusal(Int.self, try encoded(1.0))?.kind == .mismatch)
    }
}

@Suite struct `What an entity is refused for` {
    @Test func `names the way to it`() throws {
        let rows = try encoded(["a": [["b": [1, 2]], ["b": [3]]]])
        let refused = refusal([String: [[String: [Bool]]]].self, rows)
        #expect(refused?.kind == .mismatch)
        #expect(refused?.path == ["a", "Index 0", "b", "Index 0"])
        var login = Login.sample
        login.addresses[1].ports = [1, 2]
        struct Wrong: Decodable {
            struct Address: Decodable { var ports: [Color] }
            var addresses: [Address]
        }
        #expect(
            refusal(Wrong.self, try encoded(login))?.path == [
                "addresses", "Index 0", "ports", "Index 0",
            ])
    }

    @Test func `tells what is missing, null, or of another kind`() throws {
        struct One: Decodable { var a: Int }
        #expect(refusal(One.self, bytes("a0"))?.kind == .missing)
        let null = refusal(One.self, bytes("a16161f6"))
        #expect(null?.kind == .nothing && null?.path == ["a"])
        let text = refusal(One.self, bytes("a161616161"))
        #expect(text?.kind == .mismatch && text?.path == ["a"])
        #expect(refusal(One.self, bytes("80"))?.kind == .mismatch)
        #expect(refusal(One.self, bytes("f6"))?.kind == .nothing)
        #expect(refusal([Int].self, bytes("a0"))?.kind == .mismatch)
        #expect(refusal(Dog.self, bytes("a16361676503"))?.kind == .missing)
        let dog = refusal(Dog.self, bytes("a26361676503657375706572f6"))
        #expect(dog?.kind == .nothing && dog?.path == ["super"])
        struct Two: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                #expect(throws: DecodingError.self) { try container.decode(String.self) }
                // A value that was refused can still be read as another type.
                #expect(container.currentIndex == 0)
                #expect(try container.decode(Int.self) == 1)
                _ = try container.decode(Int.self)
            }
        }
        let two = refusal(Two.self, bytes("8101"))
        #expect(two?.kind == .nothing && two?.path == ["Index 1"])
    }

    @Test func `does not tell a value`() throws {
        let secret = "a hidden text"
        var messages: [String] = []
        do { _ = try decoded(Int.self, encoded(secret)) } catch { messages.append("\(error)") }
        do { _ = try decoded(Color.self, encoded(secret)) } catch { messages.append("\(error)") }
        let twice = Custom { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(secret)
            try container.encode(secret)
        }
        do { _ = try encoded(twice) } catch { messages.append("\(error)") }
        do { _ = try encoded([Int128(987_654)]) } catch { messages.append("\(error)") }
        #expect(messages.count == 4)
        // The second message is exempt, because it comes from the model: Codable's error for an
        // enum names the value that it found.
        for (number, message) in messages.enumerated() where number != 1 {
            #expect(!message.contains("hidden") && !message.contains("987"), "\(message)")
        }
    }

    @Test func `is found while it is encoded`() throws {
        let wide = "integers of more than 64 bits cannot be encoded"
        for refused in [
            encodingRefusal(["a": [Int128(1)]]), encodingRefusal(["a": [UInt128(1)]]),
        ] {
            #expect(refused?.text == wide)
            #expect(refused?.path == ["a", "Index 0"])
        }
        struct Wide: Encodable { var wide = Int128(1) }
        #expect(encodingRefusal(Wide())?.path == ["wide"])
        let sameKeys = Custom { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: "a")
            try container.encode(2, forKey: "a")
        }
        #expect(encodingRefusal(sameKeys)?.text == "byte 4: two keys of a map are the same")
        let mixed = Custom { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: "a")
            _ = encoder.unkeyedContainer()
        }
        #expect(encodingRefusal([mixed])?.text == "an item cannot be of two kinds")
        #expect(encodingRefusal([mixed])?.path == ["Index 0"])
    }
}
