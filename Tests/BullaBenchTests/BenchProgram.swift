import BullaBenchKit
import Foundation
import Testing

/// The program that was built beside these tests.
enum BenchProgram {
    /// Runs it, and expects how it ends.
    ///
    /// - Returns: what it wrote.
    static func run(_ arguments: [String], status: BenchExit) throws -> String {
        let program = try Executable.path().split(separator: "/").dropLast().map(String.init)
        let (child, pipe) = try Child.start(
            "/" + program.joined(separator: "/") + "/bulla-bench", arguments)
        let output = try pipe.readToEnd(limit: 1 << 20, of: "the program's output")
        #expect(child.wait() == .exited(status.rawValue))
        return String(decoding: output, as: UTF8.self)
    }

    static func decoded<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
