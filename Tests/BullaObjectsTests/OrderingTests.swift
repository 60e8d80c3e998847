import BullaMemory
import BullaObjects
import BullaTestSupport
import FoundationEssentials
import Testing

@Suite struct `Bytes of a value` {
    private static let pairCount = TestMode.pick(short: 5_000, long: 1_000_000)

    @Test(arguments: ScalarType.allCases)
    func `sort as values do, and give them back`(type: ScalarType) {
        var random = TestRandom(seed: 1 + UInt64(type.rawValue))
        for _ in 0..<Self.pairCount {
            let one = SampleValue.draw(type, &random)
            let other = random.isOne(in: 4) ? one : SampleValue.near(one, &random)
            let bytes = (one.scalar.bytes, other.scalar.bytes)
            #expect(order(bytes.0, bytes.1) == one.order(other), "\(one) \(other)")
            let read = bytes.0.withView { Scalar($0, type) }
            #expect(read == one.scalar)
            #expect(read?.bytes == bytes.0)
        }
    }

    @Test func `are few for small numbers`() {
        #expect(Scalar.integer(0).bytes.count == 1)
        #expect(Scalar.integer(-255).bytes.count == 2)
        #expect(Scalar.integer(.max).bytes.count == 9)
        #expect(Scalar.decimal(0).bytes.count == 1)
    }

    @Test(
        arguments: [
            (Int.min, [12, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            (-256, [18, 0xFE, 0xFF]),
            (-1, [19, 0xFE]), (0, [20]), (1, [21, 1]), (256, [22, 1, 0]),
            (Int.max, [28, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ] as [(Int, [UInt8])])
    func `of an integer are these`(number: Int, bytes: [UInt8]) {
        #expect(Scalar.integer(number).bytes == bytes)
    }

    @Test func `of a number are the same whichever type it has`() {
        #expect(Scalar.unsigned(7) == .integer(7))
        #expect(UInt8(7).scalar == Int64(7).scalar)
        #expect(UInt64.max.scalar == .unsigned(.max))
        #expect(Scalar.unsigned(.max) > .integer(.max))
        #expect(Scalar.integer(.min) < .integer(-1))
    }

    @Test func `are one of what is no number, which comes last`() {
        #expect(Scalar.double(.nan) == .double(-.nan))
        #expect(Scalar.double(.nan) == .double(.signalingNaN))
        #expect(Scalar.double(.nan) > .double(.infinity))
        #expect(Scalar.double(-0.0) == .double(0))
        #expect(Scalar.decimal(.nan) > .decimal(.greatestFiniteMagnitude))
        #expect(Scalar.decimal(.nan) == .decimal(.nan))
    }

    @Test(arguments: ["1", "-1", "0.1", "-0.1", "99", "100", "101", "1e127", "-1e-128"])
    func `of a decimal do not tell zeros at its end`(text: String) throws {
        let number = try #require(Decimal(string: text))
        let read = Scalar.decimal(number).bytes.withView { Scalar($0, .decimal) }
        #expect(read == .decimal(number))
        guard case .decimal(let value) = read else { return }
        #expect(value == number)
    }

    @Test func `of the greatest and the least decimals give them back`() {
        for number in [
            Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude,
            Decimal.leastNonzeroMagnitude, -Decimal.leastNonzeroMagnitude,
        ] {
            let read = Scalar.decimal(number).bytes.withView { Scalar($0, .decimal) }
            guard case .decimal(let value) = read else {
                Issue.record("\(number) is not read")
                continue
            }
            #expect(value == number)
        }
    }

    @Test func `that are none are refused`() {
        let forged: [(ScalarType, [UInt8])] = [
            (.boolean, []), (.boolean, [2]), (.boolean, [0, 0]), (.integer, []),
            (.integer, [21]), (.integer, [21, 0]), (.integer, [22, 0, 1]), (.integer, [29]),
            (.integer, [12, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]),
            (.double, [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), (.double, [0]),
            (.string, [0xFF]), (.uuid, [1]), (.decimal, []), (.decimal, [5]), (.decimal, [2, 0]),
            (.decimal, [3, 1, 0, 0]), (.decimal, [3, 1, 0, 1, 0]), (.decimal, [3, 0, 0, 11, 0]),
            (.decimal, [3, 1, 0, 102, 0]), (.decimal, [3, 1, 0, 11]),
        ]
        for (type, bytes) in forged {
            #expect(bytes.withView { Scalar($0, type) } == nil, "\(type) \(bytes)")
        }
    }

    @Test(arguments: ScalarType.allCases)
    func `may be anything: what is read from them has them`(type: ScalarType) {
        var random = TestRandom(seed: 7)
        for _ in 0..<Self.pairCount {
            var bytes = SampleValue.draw(type, &random).scalar.bytes
            SampleValue.damage(&bytes, &random)
            let read = bytes.withView { Scalar($0, type) }
            if let read { #expect(read.bytes == bytes) }
        }
    }

    private func order(_ one: [UInt8], _ other: [UInt8]) -> Int {
        one.withView { one in other.withView { one.compare($0).signum() } }
    }
}

@Suite struct `A key` {
    private static let pairCount = TestMode.pick(short: 5_000, long: 1_000_000)

    /// The types of a tuple's values; the second part says whether a value can be missing.
    private static let shapes: [[(ScalarType, Bool)]] = [
        [(.string, false), (.integer, false)], [(.data, true), (.data, true), (.data, false)],
        [(.double, true), (.uuid, false), (.boolean, true)],
        [(.string, true), (.string, false)], [(.decimal, true), (.decimal, false)],
        [(.date, false), (.integer, true), (.integer, false)],
    ]

    @Test(arguments: Self.shapes.indices)
    func `sorts as its values do, one by one, and is taken apart again`(shape: Int) {
        let shape = Self.shapes[shape]
        var random = TestRandom(seed: shape.count)
        for _ in 0..<Self.pairCount {
            let one = SampleValue.tuple(shape, &random)
            let other = SampleValue.near(one, shape, &random)
            let keys = (key(one, shape), key(other, shape))
            let order = keys.0.withView { one in keys.1.withView { one.compare($0).signum() } }
            #expect(order == SampleValue.order(one, other), "\(one) \(other)")
            #expect(values(keys.0, shape) == one.map { $0?.scalar })
        }
    }

    @Test(arguments: Self.shapes.indices)
    func `that is damaged is a shorter one, or none`(shape: Int) {
        let shape = Self.shapes[shape]
        var random = TestRandom(seed: 3)
        for _ in 0..<Self.pairCount {
            var bytes = key(SampleValue.tuple(shape, &random), shape)
            SampleValue.damage(&bytes, &random)
            _ = values(bytes, shape)
        }
    }

    @Test func `of a text's beginning begins those of the texts that begin so`() {
        var random = TestRandom(seed: 5)
        for _ in 0..<Self.pairCount {
            let text = SampleValue.text(&random)
            let length = random.below(text.count + 1)
            var prefix = OrderedKey()
            Array(text[..<length]).withView { prefix.appendPrefix($0) }
            var whole = OrderedKey()
            text.withView { whole.append($0, .data) }
            #expect(whole.bytes.starts(with: prefix.bytes))
        }
    }

    private func key(_ values: [SampleValue?], _ shape: [(ScalarType, Bool)]) -> [UInt8] {
        var key = OrderedKey()
        for (value, part) in zip(values, shape) {
            guard let value else {
                key.appendMissing()
                continue
            }
            if part.1 { key.appendPresent() }
            value.scalar.bytes.withView { key.append($0, part.0) }
        }
        return key.bytes
    }

    private func values(_ key: [UInt8], _ shape: [(ScalarType, Bool)]) -> [Scalar?]? {
        key.withView { view in
            var reader = OrderedReader(view)
            var values: [Scalar?] = []
            for (type, isOptional) in shape {
                if isOptional {
                    guard let isPresent = reader.takePresence() else { return nil }
                    guard isPresent else {
                        values.append(nil)
                        continue
                    }
                }
                guard let value = reader.take(type, { Scalar($0, type) }) else { return nil }
                values.append(value)
            }
            return reader.isAtEnd ? values : nil
        }
    }
}
