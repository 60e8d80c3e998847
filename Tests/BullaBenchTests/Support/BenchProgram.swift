import BullaBenchKit
import BullaTestSupport
import BullaText
import Foundation
import Testing

/// The program that was built together with these tests.
enum BenchProgram {
    /// Whether the program was built without checks of invariants, which make it several times
    /// slower.
    ///
    /// The longest tests run only if it was.
    static let isFast = !TestMode.hasChecks

    static func path() throws -> String {
        let folder = try Executable.path().split(separator: "/").dropLast().joined(separator: "/")
        return "/\(folder)/bulla-bench"
    }

    /// Runs the program, and expects an exit status.
    ///
    /// - Returns: the program's output.
    @discardableResult
    static func run(_ arguments: [String], status: BenchExit) throws -> String {
        try run(arguments) { $0 == .exited(status.rawValue) }
    }

    /// Runs the program, and accepts any verdict.
    ///
    /// - Returns: the program's output.
    static func measured(_ arguments: [String]) throws -> String {
        let verdicts = [BenchExit.met, .missed, .undecided]
        return try run(arguments) { end in verdicts.contains { end == .exited($0.rawValue) } }
    }

    private static func run(
        _ arguments: [String], _ isExpected: (ChildEnd) -> Bool
    ) throws -> String {
        let (child, pipe) = try Child.start(try path(), arguments)
        let output = try pipe.readToEnd(limit: 1 << 20, of: "the program's output")
        let end = child.wait()
        #expect(isExpected(end), "it \(end)")
        return String(decoding: output, as: UTF8.self)
    }

    static func decoded<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// The result that the program wrote to a file.
    static func result(_ path: String) throws -> BenchResult {
        try ResultFile.read(path)
    }
}
