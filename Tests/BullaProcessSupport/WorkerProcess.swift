internal import BullaTestSupport
internal import Foundation
package import Testing

/// How a process ended.
package enum WorkerEnd: Equatable {
    case exited(Int32)
    case killed(Int32)

    package static let done = WorkerEnd.exited(WorkerExit.done.rawValue)
}

/// A test waited for a process that made no progress.
package struct WorkerHangs: Error {
    package init() {}
}

/// A worker process of a test.
///
/// It is killed, at the latest, when this object is freed.
package final class WorkerProcess {
    package let child: ChildProcess
    private var unread: [UInt8] = []

    /// - Parameters:
    ///   - program: the name of the tests' program.
    ///   - arguments: a job and its values, without the value that locates the key.
    ///   - key: passed to the worker through a descriptor.
    ///   - pool: the descriptor of a page pool, which the worker inherits.
    ///   - errors: the file that collects the workers' standard error.
    ///   - launcher: a command that starts the worker, with its arguments; usually none.
    package init(
        program: String = "BullaWorker", _ arguments: [String], key: [UInt8]?,
        pool: Int32? = nil, errors: String, launcher: [String] = []
    ) throws {
        let words =
            launcher + [try Self.executable(program)] + arguments
            + (key == nil ? [] : ["key=\(ChildProcess.keyDescriptor)"])
            + (pool == nil ? [] : ["pool=\(ChildProcess.poolDescriptor)"])
        child = try ChildProcess(
            words[0], Array(words.dropFirst()), key: key, pool: pool, errors: errors)
    }

    /// The path of one of the tests' programs, which lies in the folder of the running program or
    /// in one above it.
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

    /// The worker's next line; `nil` when it has ended, or closed its output.
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

    /// All remaining lines of the worker.
    package func lines() throws -> [String] {
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        return lines
    }

    /// The values in the worker's lines, up to the line `ready` or to the end.
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

    /// Tells the worker to begin.
    package func begin() { child.write("\n") }

    /// Tells the worker to stop, and expects that it ends well.
    @discardableResult
    package func stop(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        child.closeInput()
        let lines = try lines()
        let end = try child.wait(patience: TestMode.patience)
        #expect(end == .done, sourceLocation: sourceLocation)
        return lines
    }

    /// Kills the worker, and returns the lines that it wrote before.
    @discardableResult
    package func kill() throws -> [String] {
        child.signal(ChildProcess.kill)
        let lines = try lines()
        let end = try child.wait(patience: TestMode.patience)
        #expect(end == .killed(ChildProcess.kill))
        return lines
    }
}
