internal import BullaTestSupport
internal import Foundation
package import Testing

/// How a process ended.
package enum WorkerEnd: Equatable {
    case exited(Int32)
    case killed(Int32)

    package static let done = WorkerEnd.exited(WorkerExit.done.rawValue)
}

/// A test waited for a process that did nothing.
package struct WorkerHangs: Error {
    package init() {}
}

/// A worker of this test: what it says and how it ends.
///
/// It does not outlive this value.
package final class WorkerProcess {
    package let child: ChildProcess
    private var unread: [UInt8] = []

    /// - Parameters:
    ///   - program: which of the programs of the tests it is.
    ///   - arguments: a job and its values, without the one that says where the key is.
    ///   - key: given to the worker through a descriptor.
    ///   - errors: the file that collects what workers complain about.
    ///   - launcher: a command that starts the worker, with its arguments; none as a rule.
    package init(
        program: String = "BullaWorker", _ arguments: [String], key: [UInt8]?, errors: String,
        launcher: [String] = []
    ) throws {
        let words =
            launcher + [try Self.executable(program)] + arguments
            + (key == nil ? [] : ["key=\(ChildProcess.keyDescriptor)"])
        child = try ChildProcess(words[0], Array(words.dropFirst()), key: key, errors: errors)
    }

    /// A program of the tests, which lies in a folder above them, or in theirs.
    package static func executable(_ name: String) throws -> String {
        var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let file = folder.appendingPathComponent(name)
            let facts = try? file.resourceValues(forKeys: [.isRegularFileKey])
            if facts?.isRegularFile == true { return file.path }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    // MARK: Talking

    /// The next line that it says; `nil` when it has ended, or closed its output.
    package func line() throws -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line
            }
            guard try child.read(into: &unread, patience: TestMode.patience) else { return nil }
        }
    }

    /// Everything that it still says, line by line.
    package func lines() throws -> [String] {
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        return lines
    }

    /// The values that it says, up to the line `ready` or to its end.
    package func values() throws -> [String: UInt64] {
        var values: [String: UInt64] = [:]
        while let line = try line(), line != "ready" {
            let (name, value) = try Self.parse(line)
            values[name] = value
        }
        return values
    }

    package static func parse(_ line: String) throws -> (name: String, value: UInt64) {
        let parts = line.split(separator: "=")
        try #require(parts.count == 2)
        return (String(parts[0]), try #require(UInt64(parts[1])))
    }

    /// Lets it begin.
    package func begin() { child.write("\n") }

    /// Lets it stop, and expects that it ends well.
    @discardableResult
    package func stop(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        child.closeInput()
        let lines = try lines()
        let end = try child.wait(patience: TestMode.patience)
        #expect(end == .done, sourceLocation: sourceLocation)
        return lines
    }

    /// Kills it, and gives what it had said before.
    @discardableResult
    package func kill() throws -> [String] {
        child.signal(ChildProcess.kill)
        let lines = try lines()
        let end = try child.wait(patience: TestMode.patience)
        #expect(end == .killed(ChildProcess.kill))
        return lines
    }
}
