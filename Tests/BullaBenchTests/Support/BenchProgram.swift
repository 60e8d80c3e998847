import BullaBenchKit
import BullaText
import Foundation
import Testing

/// The program that was built beside these tests.
enum BenchProgram {
    static func path() throws -> String {
        let folder = try Executable.path().split(separator: "/").dropLast().joined(separator: "/")
        return "/\(folder)/bulla-bench"
    }

    /// Runs it, and expects how it ends.
    ///
    /// - Returns: what it wrote to its output.
    @discardableResult
    static func run(_ arguments: [String], status: BenchExit) throws -> String {
        let (child, pipe) = try Child.start(try path(), arguments)
        let output = try pipe.readToEnd(limit: 1 << 20, of: "the program's output")
        #expect(child.wait() == .exited(status.rawValue))
        return String(decoding: output, as: UTF8.self)
    }

    static func decoded<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// The result that it wrote to a file.
    static func result(_ path: String) throws -> BenchResult {
        try ResultFile.read(path)
    }
}
