internal import BullaMemory
internal import Synchronization

/// The memory for changed pages that waits for those that change the trees.
final class WriterMemories: Sendable {
    private let pager: Pager
    private let idle = Mutex<[WriterMemory]>([])

    init(_ pager: Pager) { self.pager = pager }

    func take() throws(BullaError) -> WriterMemory {
        if let memory = idle.withLock({ $0.popLast() }) { return memory }
        return try WriterMemory(pager)
    }

    /// Keeps a transaction's memory for the next; a second one, of a transaction that ended while
    /// another was writing, only if it is small.
    func takeBack(_ memory: WriterMemory) {
        memory.freeAll()
        let isKept = idle.withLock { idle in
            guard idle.isEmpty || idle.count == 1 && memory.isSmall else { return false }
            idle.append(memory)
            return true
        }
        if !isKept { memory.wipe() }
    }

    /// Empties what waits for transactions, of which there are no more.
    func wipe() {
        idle.withLock { idle in
            for memory in idle { memory.wipe() }
            idle.removeAll()
        }
    }
}
