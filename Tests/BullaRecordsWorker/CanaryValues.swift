import BullaRecords
import BullaTestSupport
package import Foundation

/// Unique values of every type that can be encrypted; a worker and its test derive them from one
/// seed.
package struct CanaryValues: Sendable {
    package let text: String
    package let data: Data
    package let number: Int64
    package let double: Double
    /// Whole milliseconds since 1970.
    package let time: Int64
    package let degrees: [Double]
    /// The coordinates of the places in a list, one after the other.
    package let otherDegrees: [Double]
    package let texts: [String]
    package let datas: [Data]
    package let numbers: [Int64]
    package let doubles: [Double]
    package let times: [Int64]
    /// The value of a plain field that no index holds.
    package let plain: String
    package let asset: Data
    package let password: String

    package init(seed: Int) {
        // The seeds are far apart, because the generator's sequences for neighbouring seeds
        // overlap.
        var random = TestRandom(seed: seed &* 1_000_003)
        text = random.word()
        data = Data(random.uniqueBytes(32))
        number = random.number()
        double = random.double()
        time = random.time()
        degrees = (0..<2).map { _ in random.double() }
        otherDegrees = (0..<4).map { _ in random.double() }
        texts = (0..<3).map { _ in random.word() }
        datas = (0..<3).map { _ in Data(random.uniqueBytes(32)) }
        numbers = (0..<3).map { _ in random.number() }
        doubles = (0..<3).map { _ in random.double() }
        times = (0..<3).map { _ in random.time() }
        plain = random.word()
        asset = Data(random.uniqueBytes(300))
        password = random.word()
    }

    var date: Date { Self.date(time) }
    var dates: [Date] { times.map { Self.date($0) } }
    var place: CKLocation { Self.place(degrees[...]) }
    var places: [CKLocation] { [Self.place(otherDegrees[..<2]), Self.place(otherDegrees[2...])] }

    private static func date(_ time: Int64) -> Date {
        Date(timeIntervalSince1970: Double(time) / 1_000)
    }

    private static func place(_ degrees: ArraySlice<Double>) -> CKLocation {
        CKLocation(
            latitude: degrees[degrees.startIndex], longitude: degrees[degrees.startIndex + 1])
    }

    /// All spellings that each value can have, in memory or in writing, if it is not encrypted.
    package var secrets: [[[UInt8]]] {
        let words = [text, plain, password] + texts
        return words.map { [Array($0.utf8)] } + ([data, asset] + datas).map { [[UInt8]($0)] }
            + ([number] + numbers).map { CanarySpelling.all(of: $0) }
            + ([double] + degrees + otherDegrees + doubles).map { CanarySpelling.all(of: $0) }
            + ([time] + times).map {
                CanarySpelling.all(of: $0) + CanarySpelling.all(of: Self.date($0))
            }
    }

    /// The value of a plain indexed field, which a backend sees and a search must find.
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

    /// A number of 19 digits.
    fileprivate mutating func number() -> Int64 { Int64(1 << 62 | next() >> 2) }

    /// A number from 1 to 2 with random bits and at least 16 digits.
    fileprivate mutating func double() -> Double {
        while true {
            let double = Double(bitPattern: 0x3FF << 52 | next() >> 12)
            if "\(double)".utf8.count > 16 { return double }
        }
    }

    /// A time in the years 2248 to 2527, with at least 13 digits.
    fileprivate mutating func time() -> Int64 { Int64(1 << 43 | next() >> 21) }
}
