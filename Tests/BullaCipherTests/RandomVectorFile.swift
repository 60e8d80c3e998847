import BullaCipher
import BullaMemory
import Foundation

/// A file written by `generate.py`: each line has numbers and an answer; the inputs are taken from
/// a stream of bytes.
struct RandomVectorFile {
    let cases: [Case]
    private let seed: String

    struct Case {
        let numbers: [Int]
        let answer: [UInt8]
    }

    init(_ name: String) throws {
        seed = name
        let folder = Bundle.module.resourceURL?.appending(path: "Vectors")
        guard let file = folder?.appending(path: name + ".txt") else {
            throw VectorFile.Missing.file(name)
        }
        cases = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { try Case(line: $0) }
        guard cases.count == 1000 else { throw VectorFile.Missing.file(name) }
    }

    /// Runs `body` with each case and the stream from which to take the inputs.
    func forEach(_ body: (Case, inout InputStream) throws -> Void) throws {
        var stream = InputStream(seed: seed)
        for vector in cases { try body(vector, &stream) }
    }

    /// A stream of bytes derived from a seed.
    struct InputStream {
        private let seed: [UInt8]
        private var block: UInt64 = 0
        private var rest: ArraySlice<UInt8> = []

        init(seed: String) { self.seed = Array(seed.utf8) }

        mutating func take(_ count: Int) throws -> [UInt8] {
            while rest.count < count {
                let number = (0..<8).map { UInt8(truncatingIfNeeded: block >> ($0 * 8)) }
                rest += try KeyDerivation.sha256(Bytes(seed + number).view).bytes
                block += 1
            }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }
}

extension RandomVectorFile.Case {
    fileprivate init(line: Substring) throws {
        let parts = line.split(separator: " : ")
        guard parts.count == 2 else { throw VectorFile.Missing.field(String(line)) }
        numbers = parts[0].split(separator: " ").compactMap { Int($0) }
        let digits = Array(parts[1].utf8)
        answer = stride(from: 0, to: digits.count - 1, by: 2).map { index in
            Self.value(of: digits[index]) << 4 | Self.value(of: digits[index + 1])
        }
    }

    private static func value(of digit: UInt8) -> UInt8 {
        digit < UInt8(ascii: "a") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
    }
}
