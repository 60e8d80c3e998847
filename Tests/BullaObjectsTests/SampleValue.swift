import BullaObjects
import BullaTestSupport
import FoundationEssentials

/// A value with an order that is determined without looking at its stored bytes.
struct SampleValue: CustomStringConvertible {
    let scalar: Scalar

    var description: String { "\(scalar)" }

    static func draw(_ type: ScalarType, _ random: inout TestRandom) -> SampleValue {
        SampleValue(scalar: scalar(type, &random))
    }

    private static func scalar(_ type: ScalarType, _ random: inout TestRandom) -> Scalar {
        switch type {
        case .boolean: .boolean(random.isOne(in: 2))
        case .integer: integer(&random)
        case .double: .double(double(&random))
        case .date: .date(Date(timeIntervalSinceReferenceDate: double(&random)))
        case .string: .string(String(decoding: letters(&random), as: UTF8.self))
        case .data: .data(Data(text(&random)))
        case .uuid: .uuid(uuid(&random))
        case .decimal: .decimal(decimal(&random))
        }
    }

    /// Numbers of every length, including those at the limits of each length.
    private static func integer(_ random: inout TestRandom) -> Scalar {
        let word = random.next() >> UInt64(random.below(64))
        switch random.below(5) {
        case 0: return .unsigned(word)
        case 1: return .integer(Int(truncatingIfNeeded: word))
        case 2: return .integer(-Int(truncatingIfNeeded: word >> 1))
        case 3:
            return .integer(
                [Int.min, -257, -256, -255, -1, 0, 1, 255, 256, .max].randomElement(using: &random)!
            )
        default: return .unsigned(1 << (8 * UInt64(random.below(8))) - UInt64(random.below(2)))
        }
    }

    private static func double(_ random: inout TestRandom) -> Double {
        switch random.below(4) {
        case 0: Double(bitPattern: random.next())
        case 1: Double(random.below(2_000) - 1_000) / 8
        case 2: Double(Int64(truncatingIfNeeded: random.next()))
        default:
            [
                0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
                .greatestFiniteMagnitude, -.leastNonzeroMagnitude, .ulpOfOne,
            ].randomElement(using: &random)!
        }
    }

    /// Bytes with many zeros, ones and 255s, because the marks and ends in a key consist of these.
    static func text(_ random: inout TestRandom) -> [UInt8] {
        (0..<random.below(6)).map { _ in
            [0, 0, 1, 2, 0x61, 0xFE, 0xFF].randomElement(using: &random)!
        }
    }

    private static func letters(_ random: inout TestRandom) -> [UInt8] {
        let letters = [
            "\0", "\0", "\u{1}", "a", "b", "\u{e9}", "e\u{301}", "\u{1F600}", "\u{FFFF}",
        ]
        return Array(
            (0..<random.below(6)).map { _ in letters.randomElement(using: &random)! }.joined().utf8)
    }

    private static func uuid(_ random: inout TestRandom) -> UUID {
        UUID(
            uuid: (
                UInt8(random.below(2)), 0, 0, UInt8(random.below(256)), 0, 0, 0, 0, 255, 0, 0, 0, 0,
                0, 0, UInt8(random.below(256))
            ))
    }

    private static func decimal(_ random: inout TestRandom) -> Decimal {
        if random.isOne(in: 20) { return [Decimal.nan, 0].randomElement(using: &random)! }
        var whole = Decimal(random.next() >> UInt64(random.below(64)))
        if random.isOne(in: 3) { whole = whole * Decimal(random.next() >> 1) }
        let power = random.isOne(in: 2) ? random.below(7) - 3 : random.below(180) - 100
        let number = Decimal(sign: .plus, exponent: power, significand: whole)
        return random.isOne(in: 2) ? number : -number
    }

    /// A random value of the same type; for most types, half of the draws differ little or not at
    /// all from the given value.
    static func near(_ value: SampleValue, _ random: inout TestRandom) -> SampleValue {
        switch value.scalar {
        case .integer(let number) where random.isOne(in: 2):
            SampleValue(scalar: .integer(number &+ random.below(3) &- 1))
        case .double(let number) where random.isOne(in: 2):
            SampleValue(scalar: .double(number.nextUp))
        case .string(let text) where random.isOne(in: 2): SampleValue(scalar: .string(text + "\0"))
        case .data(let bytes) where random.isOne(in: 2): SampleValue(scalar: .data(bytes + [0]))
        case .decimal(let number) where random.isOne(in: 2):
            SampleValue(scalar: .decimal(number * 10))
        default: draw(value.scalar.type, &random)
        }
    }

    /// -1, 0 or 1 if this value is less than, equal to or greater than the other one in the order
    /// of their type.
    func order(_ other: SampleValue) -> Int {
        switch (scalar, other.scalar) {
        case (.boolean(let one), .boolean(let other)): Self.order(one ? 1 : 0, other ? 1 : 0)
        case (.double(let one), .double(let other)): Self.order(one, other)
        case (.date(let one), .date(let other)):
            Self.order(
                one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
        case (.string(let one), .string(let other)): Self.order(Array(one.utf8), Array(other.utf8))
        case (.data(let one), .data(let other)): Self.order(Array(one), Array(other))
        case (.uuid(let one), .uuid(let other)): Self.order(one.uuidString, other.uuidString)
        case (.decimal(let one), .decimal(let other)):
            one.isNaN || other.isNaN
                ? Self.order(one.isNaN ? 1 : 0, other.isNaN ? 1 : 0) : Self.order(one, other)
        default: Self.order(whole, other.whole)
        }
    }

    private var whole: Int128 {
        switch scalar {
        case .integer(let value): Int128(value)
        case .unsigned(let value): Int128(value)
        default: 0
        }
    }

    private static func order(_ one: Double, _ other: Double) -> Int {
        one.isNaN || other.isNaN
            ? order(one.isNaN ? 1 : 0, other.isNaN ? 1 : 0) : one < other ? -1 : one > other ? 1 : 0
    }

    private static func order<T: Comparable>(_ one: T, _ other: T) -> Int {
        one < other ? -1 : one > other ? 1 : 0
    }

    private static func order(_ one: [UInt8], _ other: [UInt8]) -> Int {
        one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
    }
}

/// Tuples of values, some of which can be missing.
extension SampleValue {
    static func tuple(
        _ shape: [(ScalarType, Bool)], _ random: inout TestRandom
    ) -> [SampleValue?] {
        shape.map { $0.1 && random.isOne(in: 4) ? nil : draw($0.0, &random) }
    }

    /// A tuple with the same values before a random place, possibly a near value at that place, and
    /// random values after it.
    static func near(
        _ tuple: [SampleValue?], _ shape: [(ScalarType, Bool)], _ random: inout TestRandom
    ) -> [SampleValue?] {
        let first = random.below(tuple.count)
        var other = tuple
        for index in first..<tuple.count {
            other[index] = Self.tuple([shape[index]], &random)[0]
            if index == first, let value = tuple[index] { other[index] = near(value, &random) }
        }
        return other
    }

    static func order(_ one: [SampleValue?], _ other: [SampleValue?]) -> Int {
        for (one, other) in zip(one, other) {
            let order =
                switch (one, other) {
                case (nil, nil): 0
                case (nil, _): -1
                case (_, nil): 1
                case (let one?, let other?): one.order(other)
                }
            if order != 0 { return order }
        }
        return 0
    }

    /// Changes, adds or removes a byte or two.
    static func damage(_ bytes: inout [UInt8], _ random: inout TestRandom) {
        for _ in 0...random.below(2) {
            let place = random.below(bytes.count + 1)
            switch random.below(3) {
            case 0: bytes.insert(UInt8(random.below(256)), at: place)
            case 1 where place < bytes.count: bytes.remove(at: place)
            default: if place < bytes.count { bytes[place] = UInt8(random.below(256)) }
            }
        }
    }
}
