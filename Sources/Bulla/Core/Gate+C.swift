internal import CBullaShared
internal import Synchronization

/// A gate that threads go through to use a store, and that a closer shuts to end all use.
///
/// Going in and out costs a thread two ordinary writes to its own record in memory; only the closer
/// pays for memory barriers (membarrier(2)). A thread that is inside can go in again.
final class Gate: Sendable {
    /// Which threads are inside.
    enum Presence {
        case nobody
        /// Other threads, but not this one.
        case others
        /// This thread.
        case caller
    }

    /// What ``enter()`` returns, to be passed to ``leave(_:)``.
    enum Entry {
        case entered, nested, counted
    }

    /// Names the gate in the records of threads; never 0, and no two gates share a name.
    let name: UInt64
    /// How many entries are only counted, because no thread's record can name them: those of
    /// threads that are inside too many gates, and those of work that may end on another thread.
    let counted = Atomic<Int>(0)
    private let state = Atomic<UInt8>(State.open.rawValue)

    private enum State: UInt8 { case open, shutting, shut }

    private static let names = Atomic<UInt64>(0)

    init() { name = Self.names.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Goes in, whether the gate is open or not.
    ///
    /// The caller checks ``isOpen`` next. If that is `false`, the caller leaves at once, unless it
    /// was inside before or the closer waits for it anyway.
    @inline(__always)
    func enter() -> Entry {
        switch bulla_gate_enter(name) {
        case BULLA_GATE_ENTERED: return .entered
        case BULLA_GATE_NESTED: return .nested
        default: return enterCounted()
        }
    }

    /// Goes in for work that may end on another thread.
    func enterCounted() -> Entry {
        counted.add(1, ordering: .sequentiallyConsistent)
        return .counted
    }

    @inline(__always)
    func leave(_ entry: Entry) {
        switch entry {
        case .entered: bulla_gate_leave()
        case .nested: break
        case .counted: counted.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    @inline(__always)
    var isOpen: Bool { state.load(ordering: .acquiring) == State.open.rawValue }

    /// Whether the gate is shut for good.
    @inline(__always)
    var isShut: Bool { state.load(ordering: .acquiring) == State.shut.rawValue }

    /// Begins to shut the gate; `false` if another thread is shutting it, or if it is shut already.
    func beginShutting() -> Bool {
        state.compareExchange(
            expected: State.open.rawValue, desired: State.shutting.rawValue,
            ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Opens the gate again, for all threads that wait to go in.
    func reopen() { state.store(State.open.rawValue, ordering: .releasing) }

    /// Shuts the gate for good.
    func shut() { state.store(State.shut.rawValue, ordering: .releasing) }

    /// Tells which of the threads that went in before the gate began to shut are still inside.
    func presence() -> Presence {
        bulla_gate_synchronize()
        switch bulla_gate_look(name) {
        case BULLA_GATE_SELF: return .caller
        case BULLA_GATE_OTHERS: return .others
        default: return counted.load(ordering: .sequentiallyConsistent) == 0 ? .nobody : .others
        }
    }
}
