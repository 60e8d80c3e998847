internal import BullaMemory
internal import Synchronization

/// Finding the living snapshots, and taking over the slots of dead readers.
extension ReaderSlots {
    /// Ends the snapshots that are too old, and returns the commits of all other living snapshots,
    /// ascending: they must stay readable.
    func snapshotCommits() throws(BullaError) -> [UInt64] {
        let newest = try board.checkpoint().commit
        var commits: Set<UInt64> = []
        for (slot, commit) in try livingSnapshots() {
            if isTooOld(commit, newest) {
                words.storeFenced(commit, ReaderSlotLayout.expired(of: slot))
            } else {
                commits.insert(commit)
            }
        }
        return commits.sorted()
    }

    /// The living snapshots of all processes, each with its slot and its commit.
    ///
    /// The result includes snapshots of the newest checkpoint even if their readers are dead.
    func livingSnapshots() throws(BullaError) -> [(slot: Int, commit: UInt64)] {
        fullFence()
        let newest = try board.checkpoint().commit
        // To this process, the locks of its own slots look free. So keep the set of these slots
        // locked meanwhile, and clear none of them.
        return try claiming.withLock { own throws(BullaError) in
            var living: [(slot: Int, commit: UInt64)] = []
            for slot in 0..<slotCount {
                let commit = words.loadAcquire(ReaderSlotLayout.commit(of: slot))
                guard commit != 0 else { continue }
                if commit < newest, !own.contains(slot), try reap(slot) { continue }
                living.append((slot, commit))
            }
            return living
        }
    }

    private func isTooOld(_ commit: UInt64, _ newest: UInt64) -> Bool {
        guard let commitLimit else { return false }
        return newest.subtractingOrZero(commit) > commitLimit
    }

    func claimSlot(_ own: Set<Int>) throws(BullaError) -> Int {
        while true {
            let count = slotCount
            for slot in 0..<count where !own.contains(slot) {
                guard try file.lock(LockByte.slot(slot), .exclusive) else { continue }
                // Nobody owns the slot any more, so the snapshot that it may still name is gone.
                words.storeFenced(0, ReaderSlotLayout.commit(of: slot))
                words.storeRelaxed(ProcessNumber.current, ReaderSlotLayout.process(of: slot))
                return slot
            }
            try addSlots(to: count)
        }
    }

    /// Clears a slot whose owner is dead; `false` when the owner lives.
    private func reap(_ slot: Int) throws(BullaError) -> Bool {
        guard try file.lock(LockByte.slot(slot), .exclusive) else { return false }
        words.storeFenced(0, ReaderSlotLayout.commit(of: slot))
        _ = try file.lock(LockByte.slot(slot), .none)
        return true
    }
}
