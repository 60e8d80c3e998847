import Bulla
import BullaTestSupport
import Glibc
import Synchronization

/// Counts the calls that a stretch of one thread's work makes to its files.
///
/// Other threads flush and confirm when they find the time: what they do is not counted.
final class CallCounter: Sendable {
    /// What was counted.
    struct Count: Equatable {
        /// Calls by their kinds.
        var calls: [FileCall: Int] = [:]
        /// Bytes that were given to write.
        var writtenByteCount = 0
    }

    private struct Stretch {
        let thread: pthread_t
        var count = Count()

        mutating func add(_ event: WatchedStorage.Event) {
            switch event {
            case .call(let call): count.calls[call, default: 0] += 1
            case .write(_, _, let byteCount): count.writtenByteCount += byteCount
            case .flush, .startWriteBack, .awaitWriteBack, .probe: break
            }
        }
    }

    private let stretch = Mutex<Stretch?>(nil)

    var storage: WatchedStorage {
        WatchedStorage { [self] event in
            let thread = pthread_self()
            stretch.withLock { if $0?.thread == thread { $0?.add(event) } }
        }
    }

    /// Does something that does not change threads, and counts what it does to files.
    func count(_ body: () throws -> Void) rethrows -> Count {
        let thread = pthread_self()
        stretch.withLock { $0 = Stretch(thread: thread) }
        defer { stretch.withLock { $0 = nil } }
        try body()
        return stretch.withLock { $0?.count ?? Count() }
    }
}
