import Bulla
import BullaCipher
import Foundation
import Testing

@Suite struct `The codes of errors and the kinds of defects` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `are named as they are declared, and listed`() throws {
        let codes = try declared("Sources/Bulla/Base/BullaError.swift", "Code")
        #expect(codes == BullaError.Code.all.map(\.rawValue))
        let kinds = try declared("Sources/Bulla/Base/StoreDefect.swift", "Kind")
        #expect(kinds == StoreDefect.Kind.all.map(\.rawValue))
    }

    @Test func `are kept as their names, also those of a later version`() throws {
        let text = #"["busy","ofLaterVersion"]"#
        let codes = try JSONDecoder().decode([BullaError.Code].self, from: Data(text.utf8))
        #expect(codes == [.busy, BullaError.Code(rawValue: "ofLaterVersion")])
        #expect(codes.map(word) == ["busy", "another"])
        #expect(String(decoding: try JSONEncoder().encode(codes), as: UTF8.self) == text)
        #expect("\(codes[0]) \(StoreDefect.Kind.meta)" == "busy meta")
    }

    @Test func `are all explained where a check is`() throws {
        let page = Self.root.appending(path: "Sources/Bulla/Bulla.docc/Safekeeping.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let table = text.split(separator: "\n").drop { $0 != "| Kind | What it means |" }
            .dropFirst(2).prefix { $0.hasPrefix("|") }
        let kinds = table.flatMap { row in
            row.split(separator: "|")[0].split(separator: ",").map { cell in
                cell.trimmingCharacters(in: ["`", " "])
            }
        }
        #expect(kinds == StoreDefect.Kind.all.map(\.rawValue))
    }

    @Test func `tell a cipher without memory from one that libcrypto lacks`() {
        #expect(BullaError.cipher("seal", CipherError(.memory)).code == .outOfMemory)
        #expect(BullaError.cipher("seal", CipherError(.library)).code == .io)
    }

    private func word(_ code: BullaError.Code) -> String {
        switch code {
        case .busy: "busy"
        default: "another"
        }
    }

    /// The names of a type's constants, each of which must equal its constant's value.
    private func declared(_ path: String, _ type: String) throws -> [String] {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split { " =".contains($0) }
            guard words.starts(with: ["public", "static", "let"]), words.count > 4 else {
                return nil
            }
            return words[4...].joined(separator: " ") == "\(type)(rawValue: \"\(words[3])\")"
                ? String(words[3]) : "\(words[3]) is misnamed"
        }
    }
}
