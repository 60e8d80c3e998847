import BullaProcessSupport
import BullaTestSupport
import Foundation
import Glibc
import Testing

/// The files that the kernel writes of processes that end badly.
enum CoreDumpFile {
    /// One that a test's threads do not hold back: who is spawned by them inherits what they do.
    static let signal = SIGSYS

    /// Whether they come into the process's folder, and not to another program.
    static let isPlain: Bool = {
        let pattern = try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
        return pattern.map { $0.hasPrefix("core") && !$0.contains("/") } ?? false
    }()

    /// Ends a worker that has allowed a dump into a folder, and gives the bytes of the dump.
    static func bytes(of worker: WorkerProcess, in folder: Scratch) throws -> [UInt8] {
        worker.child.signal(signal)
        let end = try worker.child.wait(patience: TestMode.patience)
        #expect(end == .killed(signal))
        let name = try #require(try folder.names().first { $0.hasPrefix("core") })
        return try folder.bytes(name)
    }
}
