internal import BullaMemory
internal import Synchronization

/// Memory for changed pages, kept for the next change of the trees.
final class WriterMemories: Sendable {
    private let pager: Pager
    private let idle = Mutex<[WriterMemory]>([])

    init(_ pager: Pager) { self.pager = pager }

    func take() throws(BullaError) -> WriterMemory {
        if let memory = idle.withLock({ $0.popLast() }) { return memory }
        return try WriterMemory(pager)
    }

    /// Keeps a transaction's memory for the next transaction, unless another memory is kept already
    /// and this one is large.
    ///
    /// Two memories come back if one transaction ended while another was writing.
    func takeBack(_ memory: WriterMemory) {
        memory.freeAll()
        let isKept = idle.withLock { idle in
            guard idle.isEmpty || idle.count == 1 && memory.isSmall else { return false }
            idle.append(memory)
            return true
        }
        if !isKept { memory.wipe() }
    }

    /// Wipes the memory that is kept; call this once no more transactions can begin.
    func wipe() {
        idle.withLock { idle in
            for memory in idle { memory.wipe() }
            idle.removeAll()
        }
    }
}
