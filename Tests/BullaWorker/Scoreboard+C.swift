import BullaTestSupport
import Glibc

/// What the workers of a torture test report, in a file that survives them.
///
/// Each worker has a line, which it alone writes, each time in a single call.
package final class Scoreboard: Sendable {
    /// The words of a worker's line, eight bytes each.
    package struct Line: Equatable, Sendable {
        /// The newest commit that the worker has attempted, given as the value to which that commit
        /// sets the worker's counter.
        package var attempted: UInt64 = 0
        /// The newest attempted commit that was acknowledged.
        package var acknowledged: UInt64 = 0
        package var operations: UInt64 = 0
        /// The longest time between two operations, in nanoseconds.
        package var longestStall: UInt64 = 0
        /// The longest time to open the store, in nanoseconds.
        package var longestOpening: UInt64 = 0
    }

    private static let wordCount = 5
    private static let lineByteCount = 64
    private let file: Int32

    package init(_ path: String) throws {
        file = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw WorkerFailure(exit: .badCommand, message: "there is no scoreboard")
        }
    }

    deinit { close(file) }

    /// A worker's line; zeros if it never wrote one.
    package subscript(worker: Int) -> Line {
        var words = [UInt64](repeating: 0, count: Self.wordCount)
        // SAFETY: there is room for as many bytes as requested.
        _ = unsafe pread(file, &words, words.count * 8, off_t(worker * Self.lineByteCount))
        return Line(
            attempted: words[0], acknowledged: words[1], operations: words[2],
            longestStall: words[3], longestOpening: words[4])
    }

    func write(_ line: Line, of worker: Int) {
        let words = [
            line.attempted, line.acknowledged, line.operations, line.longestStall,
            line.longestOpening,
        ]
        // SAFETY: the array outlives the call.
        _ = unsafe pwrite(file, words, words.count * 8, off_t(worker * Self.lineByteCount))
    }
}
