import Bulla
import BullaTestSupport
import Glibc
import Synchronization

/// Counts the calls to files that one thread makes during a stretch of its work.
///
/// Other threads flush and confirm at any time; their calls are not counted.
final class CallCounter: Sendable {
    /// The counts.
    struct Count: Equatable {
        /// Calls by kind.
        var calls: [FileCall: Int] = [:]
        /// The bytes given to writes.
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

    /// Runs `body`, which must stay on the calling thread, and counts its calls to files.
    func count(_ body: () throws -> Void) rethrows -> Count {
        let thread = pthread_self()
        stretch.withLock { $0 = Stretch(thread: thread) }
        defer { stretch.withLock { $0 = nil } }
        try body()
        return stretch.withLock { $0?.count ?? Count() }
    }
}
