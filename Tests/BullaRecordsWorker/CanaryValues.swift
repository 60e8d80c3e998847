import BullaTestSupport
package import Foundation

/// Values that stand nowhere else, of every type that can be encrypted, which a worker and its test
/// make of one seed.
package struct CanaryValues: Sendable {
    package let text: String
    package let data: Data
    package let number: Int64
    package let double: Double
    /// Whole milliseconds since 1970.
    package let time: Int64
    package let degrees: [Double]
    package let texts: [String]
    package let datas: [Data]
    package let numbers: [Int64]
    package let doubles: [Double]
    package let times: [Int64]
    /// A plain field's, which no index holds.
    package let plain: String
    package let asset: Data
    package let password: String

    package init(seed: Int) {
        // Far apart: the generator's sequences of neighbouring seeds overlap.
        var random = TestRandom(seed: seed &* 1_000_003)
        text = random.word()
        data = Data(random.uniqueBytes(32))
        number = Int64(bitPattern: random.next())
        double = random.double()
        time = random.time()
        degrees = (0..<2).map { _ in random.double() }
        texts = (0..<3).map { _ in random.word() }
        datas = (0..<3).map { _ in Data(random.uniqueBytes(32)) }
        numbers = (0..<3).map { _ in Int64(bitPattern: random.next()) }
        doubles = (0..<3).map { _ in random.double() }
        times = (0..<3).map { _ in random.time() }
        plain = random.word()
        asset = Data(random.uniqueBytes(300))
        password = random.word()
    }

    var date: Date { Self.date(time) }
    var dates: [Date] { times.map { Self.date($0) } }

    private static func date(_ time: Int64) -> Date {
        Date(timeIntervalSince1970: Double(time) / 1_000)
    }

    /// The bytes of all of them, as they stand where they are kept in the clear.
    package var secrets: [[UInt8]] {
        let words = [text, plain, password] + texts
        let words64 =
            ([number, time] + numbers + times).map { UInt64(bitPattern: $0) }
            + ([double] + degrees + doubles).map(\.bitPattern)
        return words.map { Array($0.utf8) } + ([data, asset] + datas).map { [UInt8]($0) }
            + words64.map { word in
                var bytes: [UInt8] = []
                bytes.append(little: word)
                return bytes
            }
    }

    /// What a plain field of an index holds, which a backend sees: who looks for canaries finds it.
    package static func indexed(seed: Int) -> String {
        var random = TestRandom(seed: seed &* 1_000_003 + 500_001)
        return random.word()
    }
}

extension TestRandom {
    /// A text of 32 letters.
    fileprivate mutating func word() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        return String((0..<32).map { _ in pick(letters) })
    }

    /// A number from 1 to 2, all of whose other bits are random.
    fileprivate mutating func double() -> Double {
        Double(bitPattern: 0x3FF << 52 | next() >> 12)
    }

    /// A time within some hundred years.
    fileprivate mutating func time() -> Int64 { Int64(next() >> 20) }
}
