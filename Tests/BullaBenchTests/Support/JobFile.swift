import BullaBenchKit
import BullaText
import Foundation

/// A file of `scripts/jobs`.
struct JobFile {
    /// The checkout that contains these tests.
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    let path: String
    let lines: [Substring]

    init(_ name: String) throws {
        let file = Self.root.appending(path: "scripts/jobs/\(name)")
        path = file.path
        lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
    }

    /// The words after `#SBATCH`, as options and values.
    var directives: [(option: String, value: String?)] {
        lines.filter { $0.hasPrefix("#SBATCH ") }.map { line in
            let parts = line.dropFirst(8).split(separator: "=", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
        }
    }

    /// Runs a command, such as a job file, with additional environment variables.
    ///
    /// - Returns: how it ended, and all its output.
    static func run(
        _ words: [String], _ variables: [String: String] = [:]
    ) throws -> (end: ChildEnd, text: String) {
        let settings = variables.map { "\($0)=\($1)" }
        let (child, output) = try Child.start(
            "env", settings + ["sh", "-c", "exec \"$@\" 2>&1", "sh"] + words)
        let bytes = try output.readToEnd(limit: 1 << 20, of: "what a job writes")
        return (child.wait(), String(decoding: bytes, as: UTF8.self))
    }

    /// Whether the system has a tool whose output contains this answer.
    static func hasTool(_ words: [String], saying answer: String) -> Bool {
        guard let (end, text) = try? run(words) else { return false }
        return end == .exited(0) && text.contains(answer)
    }
}
