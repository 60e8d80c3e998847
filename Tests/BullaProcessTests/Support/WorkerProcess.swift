import Bulla
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

/// How a process ended.
enum WorkerEnd: Equatable {
    case exited(Int32)
    case killed(Int32)

    static let done = WorkerEnd.exited(WorkerExit.done.rawValue)
}

/// A test waited for a process that did nothing.
struct WorkerHangs: Error {}

/// What the store of a worker threw.
struct WorkerRefusal: Error {
    let code: BullaError.Code
}

/// A worker of this test: what it says and how it ends.
///
/// It does not outlive this value.
final class WorkerProcess {
    let child: ChildProcess
    private var unread: [UInt8] = []

    /// - Parameters:
    ///   - arguments: a job and its values, without the one that says where the key is.
    ///   - key: given to the worker through a descriptor.
    ///   - errors: the file that collects what workers complain about.
    ///   - launcher: a command that starts the worker, with its arguments; none as a rule.
    init(
        _ arguments: [String], key: [UInt8]?, errors: String, launcher: [String] = []
    ) throws {
        let words =
            launcher + [try Self.executable("BullaWorker")] + arguments
            + (key == nil ? [] : ["key=\(ChildProcess.keyDescriptor)"])
        child = try ChildProcess(words[0], Array(words.dropFirst()), key: key, errors: errors)
    }

    /// A program of the tests, which lies in a folder above them, or in theirs.
    static func executable(_ name: String) throws -> String {
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
    func line() throws -> String? {
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
    func lines() throws -> [String] {
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        return lines
    }

    /// The values that it says, up to the line `ready` or to its end.
    func values() throws -> [String: UInt64] {
        var values: [String: UInt64] = [:]
        while let line = try line(), line != "ready" {
            let (name, value) = try Self.parse(line)
            values[name] = value
        }
        return values
    }

    static func parse(_ line: String) throws -> (name: String, value: UInt64) {
        let parts = line.split(separator: "=")
        try #require(parts.count == 2)
        return (String(parts[0]), try #require(UInt64(parts[1])))
    }

    /// Tells it what to do, and gives its answer.
    ///
    /// - Throws: what the store threw there: its code is the error's.
    @discardableResult
    func ask(_ order: WorkerOrder) throws -> UInt64 {
        tell(order)
        return try answer()
    }

    func tell(_ order: WorkerOrder) { child.write(order.rawValue + "\n") }

    /// What it answers to the order before.
    func answer() throws -> UInt64 {
        let (name, value) = try Self.parse(try #require(try line()))
        if name == "done" { return value }
        throw WorkerRefusal(code: try #require(BullaError.Code(number: value)))
    }

    /// The code that an order is refused with; `nil` where it is done.
    func refusal(_ order: WorkerOrder) throws -> BullaError.Code? {
        do { try ask(order) } catch let refusal as WorkerRefusal { return refusal.code }
        return nil
    }

    /// Lets it begin.
    func begin() { child.write("\n") }

    /// Lets it stop, and expects that it ends well.
    func stop(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        child.closeInput()
        let lines = try lines()
        let end = try child.wait(patience: TestMode.patience)
        #expect(end == .done, sourceLocation: sourceLocation)
        return lines
    }

    /// Kills it, and gives what it had said before.
    func kill() throws -> [String] {
        child.signal(ChildProcess.kill)
        let lines = try lines()
        let end = try child.wait(patience: TestMode.patience)
        #expect(end == .killed(ChildProcess.kill))
        return lines
    }
}
