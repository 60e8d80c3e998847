import Bulla
import BullaTestSupport
import Dispatch
import Synchronization
import Testing

/// A thread that would wait for itself gets an error instead of waiting.
@Suite(.serialized) struct `A write inside of another` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Opens the store with a timeout so long that a test cannot pass by waiting.
    private func open(_ kind: StoreKind = .gcm, timeout: Duration = .seconds(120)) throws -> Store {
        try kind.open(scratch.path("s.bulla")) { $0.lockTimeout = timeout }
    }

    private enum Verb: CaseIterable { case write, groupWrite, beginWrite, changeKey, close }

    private func run(_ verb: Verb, _ store: Store) throws {
        switch verb {
        case .write: try store.write { _ in }
        case .groupWrite: try store.groupWrite { _ in }
        case .beginWrite: _ = try store.beginWrite()
        case .changeKey: try store.changeKey(to: try StoreKey(StoreKind.keyBytes))
        case .close: try store.close()
        }
    }

    private func expectOwn(_ error: BullaError?, _ what: String) {
        #expect(error?.code == .busy, "\(what)")
        #expect(error.says("this thread or task is in a write transaction of it"), "\(what)")
        #expect(error.says(scratch.path("s.bulla")), "\(what)")
    }

    @Test(arguments: StoreKind.allCases)
    func `on the same thread is refused at once, and the outer one goes on`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        try store.write { change in
            for verb in Verb.allCases where kind != .plain || verb != .changeKey {
                expectOwn(refusal { try run(verb, store) }, "\(verb)")
            }
            try change.put("value", forKey: "key", in: try change.openOrCreateTree(named: "t"))
        }
        let value = try store.read { try $0.value(forKey: "key", in: try $0.tree(named: "t")) }
        #expect(value == Array("value".utf8))
        for verb in Verb.allCases where kind != .plain || verb != .changeKey {
            try run(verb, store)
        }
    }

    @Test func `that shares its commit is refused, too, and so is what stands in one`() throws {
        let store = try open()
        let errors = Mutex<[BullaError?]>([])
        try store.groupWrite { _ in
            let found = Verb.allCases.map { verb in refusal { try run(verb, store) } }
            errors.withLock { $0 = found }
        }
        let found = errors.withLock { $0 }
        #expect(found.count == Verb.allCases.count)
        for error in found { expectOwn(error, "in a group") }
        try store.close()
    }

    @Test func `through another handle of the same file is refused at once`() throws {
        let (store, other) = (try open(), try open())
        try store.write { change in
            // Changing the key needs the lock on the trees, which the transaction does not hold.
            for verb in Verb.allCases where verb != .close && verb != .changeKey {
                expectOwn(refusal { try run(verb, other) }, "\(verb)")
            }
        }
        for verb in Verb.allCases { try run(verb, other) }
        try store.close()
    }

    @Test func `that is held is refused in the task that holds it, and in no other`() async throws {
        let store = try open()
        let quick = try open(timeout: .zero)
        let held = try store.beginWrite()
        for verb in Verb.allCases { expectOwn(refusal { try run(verb, store) }, "\(verb)") }
        let waited: [BullaError?] = [
            await refusal { try await store.write { _ in } },
            await refusal { try await store.groupWrite { _ in } },
            await refusal { try await store.changeKey(to: try StoreKey(StoreKind.keyBytes)) },
            await refusal { try await store.addSlot(for: StoreKey(StoreKind.keyBytes)) },
            await refusal { try await store.rotateDataKeys() },
            await refusal { _ = try await store.createVault(named: "v", keys: [.random()]) },
            await refusal { try await store.close() },
        ]
        for error in waited { expectOwn(error, "async") }
        let other = await Task.detached { refusal { try quick.write { _ in } } }.value
        #expect(other?.code == .busy)
        #expect(other.says("another handle of this process is writing"))
        try await held.commit()
        for verb in Verb.allCases { try run(verb, store) }
        try await quick.close()
    }

    @Test func `that a thread outside of tasks holds is refused on that thread`() throws {
        let store = try open()
        let found = Mutex<[BullaError?]>([])
        try onThread {
            let held = try store.beginWrite()
            found.withLock { list in
                list = Verb.allCases.map { verb in refusal { try run(verb, store) } }
            }
            try held.commit()
            for verb in Verb.allCases { try run(verb, store) }
        }
        let errors = found.withLock { $0 }
        #expect(errors.count == Verb.allCases.count)
        for error in errors { expectOwn(error, "held") }
    }

    /// Runs `body` outside all tasks.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<(any Error)?>(nil)
        DispatchQueue(label: "thread").async {
            do { try body() } catch { result.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        if let error = result.withLock({ $0 }) { throw error }
    }

    @Test func `of another thread waits for its turn`() throws {
        let store = try open()
        let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let result = Mutex<BullaError?>(nil)
        try store.write { change in
            DispatchQueue(label: "other").async {
                begun.signal()
                let error = refusal {
                    try store.write { try $0.put("2", forKey: "b", in: try $0.tree(named: "t")) }
                }
                result.withLock { $0 = error }
                done.signal()
            }
            begun.wait()
            try change.put("1", forKey: "a", in: try change.openOrCreateTree(named: "t"))
        }
        done.wait()
        let error = result.withLock { $0 }
        #expect(error?.code == nil)
        #expect(try store.read { try $0.count(of: try $0.tree(named: "t")) } == 2)
        try store.close()
    }

    @Test func `by another thread's handle of the same file says that it is of this process`()
        throws
    {
        let (store, other) = (try open(), try open(timeout: .zero))
        let result = Mutex<BullaError?>(nil)
        try store.write { _ in
            let done = DispatchSemaphore(value: 0)
            DispatchQueue(label: "other").async {
                let error = refusal { try other.write { _ in } }
                result.withLock { $0 = error }
                done.signal()
            }
            done.wait()
        }
        let error = result.withLock { $0 }
        #expect(error?.code == .busy)
        #expect(error.says("another handle of this process is writing"))
        for store in [store, other] { try store.close() }
    }
}
