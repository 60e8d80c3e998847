import Bulla
import BullaSimulation

/// The effects of changes to the log.
extension LiveLog {
    /// Opens the store with changed bytes, and demands the right outcome.
    ///
    /// The log ends at the first frame that differs from what was written. If the commit of that
    /// frame is known to be durable, opening must report damage and name the place. Otherwise the
    /// store must have what was committed before, and go on from there.
    ///
    /// - Returns: the commit at which it was opened; `nil` for damage.
    @discardableResult
    func open(_ change: (inout [UInt8]) -> Void) throws -> UInt64? {
        var image = image
        image.change(change)
        let lost = firstLost(image.store)
        let disk = try SimulatedDisk(image)
        defer { disk.switchOff() }
        let store: Store
        do { store = try LiveStore.open(SimulatedProcess(disk), kind) } catch {
            try expectDamage(error, lost)
            return nil
        }
        let found = try Version(of: store, .published)
        try demand(found == versions[found.commit], "commit \(found.commit) is not what it was")
        let whole = lost.map { $0 - 1 } ?? newest
        try demand(
            found.commit == whole && whole >= marked,
            "opened at commit \(found.commit), not \(whole); \(marked) is marked")
        try demand(try Version(of: store, .durable) == found, "what was recovered is durable")
        return found.commit
    }

    /// Opens the store with changed bytes, commits, and demands that everything outlives a crash.
    func goOn(_ change: (inout [UInt8]) -> Void) throws {
        var image = image
        image.change(change)
        let changed = try LiveLog(
            kind: kind, image: image, versions: versions, ends: ends, newest: newest)
        let live = try LiveStore(kind, after: changed, seed: 9)
        defer { live.kill() }
        try live.commit(2)
        let found = try live.freeze().open { _ in }
        try demand(found == live.current.commit, "what was committed then is lost")
    }

    private func expectDamage(_ error: any Error, _ lost: UInt64?) throws {
        guard let error = error as? BullaError, error.code == .corrupted else { throw error }
        guard let lost, lost <= marked else {
            throw Finding("what was never known to be durable is damage: \(error)")
        }
        // A log that took another course can end anywhere after the mark.
        let end = error.commit ?? 0
        try demand(
            (end == lost - 1 || end > marked) && error.message.contains("of half"),
            "commit \(lost) is lost, and the damage is \(error)")
    }

    /// The first commit whose frame differs from what was written, or whose segment has lost both
    /// copies of its header.
    private func firstLost(_ bytes: [UInt8]) -> UInt64? {
        let former = self.bytes
        return commits.first { commit in
            let frame = frame(of: commit)
            return bytes[frame] != former[frame]
                || headers(before: commit).allSatisfy { bytes[$0] != former[$0] }
        }
    }
}
