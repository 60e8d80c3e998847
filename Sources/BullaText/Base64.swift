/// Bytes in base64 (RFC 4648), with padding or without it.
package enum Base64 {
    package enum Form: Sendable {
        /// The alphabet of section 4, padded.
        case standard
        /// The alphabet of section 5, unpadded; the text is safe in URLs.
        case address
    }

    private static let letters: (standard: [UInt8], address: [UInt8]) = {
        let most = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        return (most + Array("+/".utf8), most + Array("-_".utf8))
    }()

    /// The value of each letter; 255 for anything else.
    private static let values: (standard: [UInt8], address: [UInt8]) = {
        (inverse(letters.standard), inverse(letters.address))
    }()

    private static func inverse(_ letters: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }

    private static let padding = UInt8(ascii: "=")

    package static func append(
        _ data: [UInt8], form: Form = .standard, to text: inout [UInt8]
    ) {
        let letters = form == .standard ? letters.standard : letters.address
        text.reserveCapacity(text.count + (data.count + 2) / 3 * 4)
        var place = 0
        while place < data.count {
            let count = min(3, data.count - place)
            var bits = UInt32(data[place]) << 16
            if count > 1 { bits |= UInt32(data[place + 1]) << 8 }
            if count > 2 { bits |= UInt32(data[place + 2]) }
            for letter in 0...count {
                text.append(letters[Int(bits >> UInt32(18 - 6 * letter)) & 63])
            }
            if form == .standard { for _ in count..<3 { text.append(padding) } }
            place += 3
        }
    }

    package static func text(_ data: [UInt8], form: Form = .standard) -> String {
        var text: [UInt8] = []
        append(data, form: form, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text; `nil` if it is not the canonical encoding of any bytes.
    package static func bytes(_ text: some Collection<UInt8>, form: Form = .standard) -> [UInt8]? {
        var text = Array(text)
        if form == .standard {
            guard text.count % 4 == 0 else { return nil }
            for _ in 0..<2 where text.last == padding { text.removeLast() }
        }
        guard text.count % 4 != 1 else { return nil }
        let values = form == .standard ? values.standard : values.address
        var data: [UInt8] = []
        data.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for letter in text {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                data.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // The bits after the last whole byte must be zero.
        guard bits & (1 << bitCount - 1) == 0 else { return nil }
        return data
    }
}
