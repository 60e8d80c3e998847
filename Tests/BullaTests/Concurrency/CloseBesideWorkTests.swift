import Bulla
import BullaTestSupport
import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

/// Close waits for work that uses the gate in a way of its own.
@Suite struct `Closing a store beside work under way` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(
        _ kind: StoreKind, _ name: String = "s.bulla", timeout: Duration = .milliseconds(20),
        storage: any StorageSystem = SystemStorage()
    ) throws -> Store {
        var options = StoreOptions()
        options.suite = kind.suite
        options.lockTimeout = timeout
        let store = try Store.open(
            at: scratch.path(name), key: kind.key(), options: options, storage: storage)
        try store.write { change in
            try change.put("value", forKey: "key", in: try change.openOrCreateTree(named: "t"))
        }
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func `is refused while a thread commits for a group, whose changes stand`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        try whileHeld { hold in
            try store.groupWrite { change in
                try change.put("value", forKey: "mine", in: try change.tree(named: "t"))
                hold()
            }
        } _: {
            #expect(refusal { try store.close() }?.code == .busy)
        }
        #expect(try store.read { try $0.contains("mine", in: try $0.tree(named: "t")) })
        try store.close()
    }

    /// The first thread is to lead the group, and waits for the outcome of closing; the others wait
    /// for the first.
    @Test func `refuses all the threads of a group that come while it is under way`() throws {
        let closer = StoppedCloser()
        let store = try open(.gcm, timeout: TestMode.patience, storage: closer.storage)
        closer.begin(store)
        let codes = Mutex<[BullaError.Code?]>([])
        let done = Flag()
        Thread.detachNewThread {
            try? Crew.run(3) { _ in
                let error = refusal { try store.groupWrite { _ in } }
                codes.withLock { $0.append(error?.code) }
            }
            done.raise()
        }
        while store.group.lineCount < 3 { Thread.sleep(forTimeInterval: 0.001) }
        closer.end()
        while !done.isRaised { Thread.sleep(forTimeInterval: 0.001) }
        #expect(codes.withLock { $0 } == [.closed, .closed, .closed])
        #expect(store.group.lineCount == 0)
    }

    @Test func `refuses all the tasks of a group that come while it is under way`() async throws {
        let closer = StoppedCloser()
        let store = try open(.gcm, timeout: TestMode.patience, storage: closer.storage)
        closer.begin(store)
        let tasks = (0..<3).map { _ in
            Task { await refusal { try await store.groupWrite { _ in } }?.code }
        }
        while store.group.lineCount < 3 { try await Task.sleep(for: .milliseconds(1)) }
        closer.end()
        for task in tasks { #expect(await task.value == .closed) }
        #expect(store.group.lineCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `is refused while a backup is written, which then is whole`(kind: StoreKind) throws {
        let backup = scratch.path("backup")
        let held = Mutex<(@Sendable () -> Void)?>(nil)
        let storage = WatchedStorage { event in
            guard case .write(let path, _, _) = event, path.hasPrefix(backup) else { return }
            let hold = held.withLock { hold in
                defer { hold = nil }
                return hold
            }
            hold?()
        }
        let store = try open(kind, storage: storage)
        try whileHeld { hold in
            held.withLock { $0 = hold }
            _ = try store.backup(to: backup)
        } _: {
            #expect(refusal { try store.close() }?.code == .busy)
        }
        try store.close()
        let copy = scratch.path("copy.bulla")
        try Store.restore(from: [backup], to: copy, key: kind.key())
        let restored = try kind.open(copy)
        #expect(try restored.read { try $0.contains("key", in: try $0.tree(named: "t")) })
        try restored.close()
    }

    /// A thread's record names up to 16 gates that it is inside; further ones are only counted.
    @Test func `is refused while a thread is inside it, however many others it is inside`() throws {
        let stores = try (0..<20).map { try open(.gcm, "s\($0).bulla") }
        /// Reads the stores from `index` on, each inside the other.
        @Sendable func read(from index: Int, _ innermost: () -> Void) throws {
            guard index < stores.count else { return innermost() }
            try stores[index].read { _ in try read(from: index + 1, innermost) }
        }
        try whileHeld { hold in
            try read(from: 0, hold)
        } _: {
            for store in stores { #expect(refusal { try store.close() }?.code == .busy) }
        }
        for store in stores { try store.close() }
    }
}

/// A thread that closes a store, and is stopped once nothing more can begin in the store.
private final class StoppedCloser: Sendable {
    private let thread = Mutex<pthread_t?>(nil)
    private let isStopped = DispatchSemaphore(value: 0)
    private let mayEnd = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    var storage: WatchedStorage {
        WatchedStorage { [self] event in
            // The first lock that it requests comes after the gate has closed.
            guard event == .call(.lock), takeThread() else { return }
            isStopped.signal()
            mayEnd.wait()
        }
    }

    /// `true` the first time that the closing thread calls this; otherwise `false`.
    private func takeThread() -> Bool {
        let own = pthread_self()
        return thread.withLock { thread in
            guard thread == own else { return false }
            thread = nil
            return true
        }
    }

    func begin(_ store: Store) {
        Thread.detachNewThread { [self] in
            let own = pthread_self()
            thread.withLock { $0 = own }
            #expect(throws: Never.self) { try store.close() }
            hasEnded.signal()
        }
        isStopped.wait()
    }

    func end() {
        mayEnd.signal()
        hasEnded.wait()
    }
}
