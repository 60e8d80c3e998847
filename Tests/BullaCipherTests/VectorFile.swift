import Foundation

/// A text file of known answers: blocks of `name = value` lines, separated by empty lines, with
/// remarks after `#`.
///
/// Values are hexadecimal bytes or decimal numbers.
struct VectorFile {
    let vectors: [Vector]

    init(_ name: String) throws {
        let folder = Bundle.module.resourceURL?.appending(path: "Vectors")
        guard let file = folder?.appending(path: name + ".txt") else { throw Missing.file(name) }
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("#") }
        vectors = lines.split(separator: "").map { Vector(lines: Array($0)) }
    }

    enum Missing: Error { case file(String), field(String) }
}

/// One known answer.
struct Vector {
    private let fields: [String: String]

    init(lines: [Substring]) {
        let pairs = lines.map { line in
            line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        fields = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
    }

    func bytes(_ name: String) throws -> [UInt8] {
        let digits = Array(try text(name))
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            guard index + 1 < digits.count,
                let byte = UInt8(String(digits[index...index + 1]), radix: 16)
            else { throw VectorFile.Missing.field(name) }
            return byte
        }
    }

    func number<T: FixedWidthInteger>(_ name: String, radix: Int = 10) throws -> T {
        guard let number = T(try text(name), radix: radix) else {
            throw VectorFile.Missing.field(name)
        }
        return number
    }

    private func text(_ name: String) throws -> String {
        guard let text = fields[name] else { throw VectorFile.Missing.field(name) }
        return text
    }
}
