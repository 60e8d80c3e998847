import Bulla
import BullaTestSupport
import Synchronization
import Testing

/// How a checkpoint's writes reach the disk while commits wait behind them.
@Suite struct `What a checkpoint writes` {
    private static let partByteCount = 128 << 10

    @Test(arguments: StoreKind.allCases)
    func `goes to the disk in small parts, of which it has few at once`(kind: StoreKind) throws {
        let events = Events()
        let scratch = try Scratch()
        let path = scratch.path("paced.bulla")
        try kind.open(path, pageByteCount: 4096) { $0.fixLog(halfByteCount: 32 << 20) }.close()
        var options = StoreOptions()
        options.suite = kind.suite
        let store = try Store.open(
            at: path, key: try kind.key(), options: options, storage: events.storage)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "records")
            for number in 0..<30_000 {
                try change.put(CountedStore.value, forKey: CountedStore.key(number), in: tree)
            }
        }
        _ = events.take()
        while try store.checkpoint() {}
        let seen = events.take()
        let writes = seen.compactMap { if case .write(_, _, let count) = $0 { count } else { nil } }
        #expect(writes.contains(Self.partByteCount))
        #expect(writes.allSatisfy { $0 <= Self.partByteCount })
        let startCount = seen.count { if case .startWriteBack = $0 { true } else { false } }
        let awaitCount = seen.count { if case .awaitWriteBack = $0 { true } else { false } }
        #expect(startCount > 10 && awaitCount > 10)
        // At most two parts of pages, and two of the zeros with which the file grows.
        #expect((2...4).contains(Events.mostUnderWay(in: seen)))
        try store.close()
    }

    /// The events on files, in order.
    private final class Events: Sendable {
        private let events = Mutex<[WatchedStorage.Event]>([])

        var storage: WatchedStorage {
            WatchedStorage { [self] event in events.withLock { $0.append(event) } }
        }

        func take() -> [WatchedStorage.Event] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }

        /// The greatest number of parts that were on their way to the disk at once.
        static func mostUnderWay(in events: [WatchedStorage.Event]) -> Int {
            var (parts, most): (Set<Range<UInt64>>, Int) = ([], 0)
            for event in events {
                switch event {
                case .startWriteBack(let part):
                    parts.insert(part)
                    most = max(most, parts.count)
                case .awaitWriteBack(let part): parts.remove(part)
                // A flush waits for all parts.
                case .flush: parts = []
                default: break
                }
            }
            return most
        }
    }
}
