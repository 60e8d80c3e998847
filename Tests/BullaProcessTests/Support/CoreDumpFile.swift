import BullaProcessSupport
import BullaTestSupport
import Foundation
import Glibc
import Testing

/// The core dumps of processes that end badly.
enum CoreDumpFile {
    /// A signal that the test's threads do not block; if they did, the processes that they spawn
    /// would block it, too.
    static let signal = SIGSYS

    /// Whether dumps go to the process's folder, and not to another program.
    static let isPlain: Bool = {
        let pattern = try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
        return pattern.map { $0.hasPrefix("core") && !$0.contains("/") } ?? false
    }()

    /// Ends a worker that has allowed a dump into a folder, and returns the bytes of the dump.
    ///
    /// - Parameter hasRegisters: whether the bytes include the threads' registers; otherwise they
    ///   are overwritten.
    static func bytes(
        of worker: WorkerProcess, in folder: Scratch, hasRegisters: Bool = true
    ) throws -> [UInt8] {
        worker.child.signal(signal)
        let end = try worker.child.wait(patience: TestMode.patience)
        #expect(end == .killed(signal))
        let name = try #require(try folder.names().first { $0.hasPrefix("core") })
        var bytes = try folder.bytes(name)
        if !hasRegisters { try wipeRegisters(in: &bytes) }
        return bytes
    }

    /// Overwrites a dump's notes, which contain the registers (elf(5), core(5)).
    private static func wipeRegisters(in bytes: inout [UInt8]) throws {
        func number(_ offset: Int, _ byteCount: Int) -> Int {
            bytes[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (segments, count) = (number(32, 8), number(56, 2))
        let notes = (0..<count).map { segments + $0 * 56 }.filter { number($0, 4) == 4 }
        try #require(!notes.isEmpty)
        for (offset, byteCount) in notes.map({ (number($0 + 8, 8), number($0 + 32, 8)) }) {
            bytes.replaceSubrange(
                offset..<offset + byteCount, with: repeatElement(0, count: byteCount))
        }
    }
}
