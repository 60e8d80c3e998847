import Bulla
import Foundation
import JobQueue

/// A folder with a queue, which is deleted after the test.
final class Folder {
    private let url: URL
    private let key: StoreKey

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let bytes = (0..<64).map { _ in UInt8.random(in: 0...255) }
        let file = url.appending(path: "jobs.key")
        let isMade = FileManager.default.createFile(
            atPath: file.path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CocoaError(.fileWriteUnknown) }
        key = try StoreKey(contentsOfFile: file.path)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func queue() throws -> JobQueue { try JobQueue(at: path("jobs.bulla"), key: key) }

    func lines(of name: String) throws -> [String] {
        try String(contentsOfFile: path(name), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    /// Starts `queue`, and redirects its output to a file.
    func start(_ verb: String, _ arguments: String..., output: String) throws -> Process {
        let file = path(output)
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let process = Process()
        process.executableURL = try Self.program("queue")
        process.currentDirectoryURL = url
        process.arguments = [verb, "jobs.bulla", "--key-file", "jobs.key"] + arguments
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: file))
        try process.run()
        return process
    }

    /// The path of a program of this package, found in the folder of the tests or above it.
    private static func program(_ name: String) throws -> URL {
        var folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let file = folder.appending(path: name)
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
