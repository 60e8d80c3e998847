import Foundation
import Glibc
import Synchronization

/// A thread that repeatedly appends a few blocks to a file and flushes it, to find out how long the
/// disk delays a program without a store.
final class BareFlushes: Sendable {
    private static let block = Data(repeating: 0x5a, count: 16 << 10)
    /// Beyond this length the file starts again.
    private static let byteLimit: UInt64 = 64 << 20

    private let isStopped = Atomic<Bool>(false)
    private let longest = Mutex<Result<Duration, any Error>?>(nil)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ path: String) throws {
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forUpdating: URL(filePath: path))
        Thread.detachNewThread { [self] in
            let result = Result { try run(file) }
            longest.withLock { $0 = result }
            hasEnded.signal()
        }
    }

    /// - Returns: the longest time of an append and its flush.
    func stop() throws -> Duration {
        isStopped.store(true, ordering: .relaxed)
        hasEnded.wait()
        return try longest.withLock { try $0?.get() } ?? .zero
    }

    private func run(_ file: FileHandle) throws -> Duration {
        var longest = Duration.zero
        while !isStopped.load(ordering: .relaxed) {
            if try file.offset() >= Self.byteLimit { try file.truncate(atOffset: 0) }
            let start = ContinuousClock.now
            try file.write(contentsOf: Self.block)
            guard fdatasync(file.fileDescriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
            longest = max(longest, ContinuousClock.now - start)
        }
        return longest
    }
}
