import BullaRecordsSupport
import Synchronization

/// The faults for the next calls to a backend; later calls succeed.
final class FaultPlan: Sendable {
    private let faults = Mutex<[FaultyBackend.Call: ArraySlice<FaultyBackend.Fault>]>([:])

    func set(_ call: FaultyBackend.Call, _ next: FaultyBackend.Fault...) {
        set(call, next)
    }

    func set(_ call: FaultyBackend.Call, _ next: [FaultyBackend.Fault]) {
        faults.withLock { $0[call] = next[...] }
    }

    func next(_ call: FaultyBackend.Call) -> FaultyBackend.Fault {
        faults.withLock { $0[call]?.popFirst() ?? .none }
    }
}
