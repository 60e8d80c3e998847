import Foundation

/// The result of running `bulla` in a process of its own.
struct CommandRun {
    let status: Int32
    /// The signal that ended the process, or `nil` if it ended by itself.
    let signal: Int32?
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// A member of the `error` object that a run with `--json` wrote to standard error.
    func errorMember(_ name: String) -> String? { Self.member(name, in: errors, under: "error") }

    /// A member of the JSON object in the run's output.
    func member(_ name: String) -> String? { Self.member(name, in: text, under: nil) }

    private static func member(_ name: String, in text: String, under outer: String?) -> String? {
        let whole = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let object = outer.map { whole?[$0] as? [String: Any] } ?? whole
        return object?[name].map { "\($0)" }
    }

    /// The executable, which lies next to the tests.
    static var executable: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("bulla")
    }
}

/// A directory for one test, which is removed with its content at the end of the test.
final class Scratch {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("bulla-command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func path(_ name: String) -> URL { directory.appendingPathComponent(name) }

    func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o644) throws {
        try Data(bytes).write(to: path(name))
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: path(name).path)
    }

    func write(_ name: String, _ text: String, mode: Int = 0o644) throws {
        try write(name, Array(text.utf8), mode: mode)
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: path(name))) }

    /// The SHA-256 of a file, computed by the usual tool.
    func digest(_ name: String) throws -> String {
        try shell("sha256sum \(name)").text
    }

    /// Runs `bulla` in the directory and waits for it to end.
    @discardableResult
    func bulla(_ arguments: String..., input: [UInt8] = []) throws -> CommandRun {
        try run(CommandRun.executable, arguments, input: input)
    }

    /// Runs `bulla` with a list of arguments.
    @discardableResult
    func bulla(_ arguments: [String]) throws -> CommandRun {
        try run(CommandRun.executable, arguments, input: [])
    }

    /// Runs a line of shell in the directory; `$BULLA` is the executable.
    @discardableResult
    func shell(_ line: String, input: [UInt8] = []) throws -> CommandRun {
        try run(URL(fileURLWithPath: "/bin/sh"), ["-c", line], input: input)
    }

    private func run(_ program: URL, _ arguments: [String], input: [UInt8]) throws -> CommandRun {
        let name = UUID().uuidString
        try write("\(name).in", input)
        try write("\(name).out", "")
        try write("\(name).err", "")
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["BULLA": CommandRun.executable.path, "LC_ALL": "C.UTF-8"]) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: path("\(name).in"))
        process.standardOutput = try FileHandle(forWritingTo: path("\(name).out"))
        process.standardError = try FileHandle(forWritingTo: path("\(name).err"))
        try process.run()
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        return CommandRun(
            status: isSignal ? -1 : process.terminationStatus,
            signal: isSignal ? process.terminationStatus : nil,
            output: try read("\(name).out"),
            errors: String(decoding: try read("\(name).err"), as: UTF8.self))
    }
}
