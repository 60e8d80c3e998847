internal import CBullaTopology
internal import Glibc

/// Where one thread is wanted.
package struct ThreadPlacement: Codable, Equatable, Sendable {
    /// The cores that it may run on; none: wherever the system likes.
    package var cores: [Int]
    package var memory: MemoryChoice?
    /// The nodes of an interleaved memory, or the one node; none otherwise.
    package var memoryNodes: [Int]

    package init(cores: [Int], memory: MemoryChoice? = nil, memoryNodes: [Int] = []) {
        self.cores = cores
        self.memory = memory
        self.memoryNodes = memoryNodes
    }

    /// Moves the calling thread there, and what memory it touches first from now on.
    ///
    /// - Returns: what the system gave.
    package func apply() throws -> ObtainedPlacement {
        if !cores.isEmpty { try moveToCores() }
        if let memory { try take(memory) }
        return try ObtainedPlacement.current()
    }

    private func moveToCores() throws {
        let numbers = cores.map { Int32(clamping: $0) }
        // SAFETY: the call reads as many numbers as the array has.
        let code = unsafe bulla_topology_run_on(numbers, numbers.count)
        guard code == 0 else {
            throw BenchError(
                system: "run a thread on the cores \(NumberList.text(cores))", code: code)
        }
    }

    private func take(_ memory: MemoryChoice) throws {
        let numbers = memoryNodes.map { Int32(clamping: $0) }
        // SAFETY: the call reads as many numbers as the array has.
        let code = unsafe bulla_topology_take_memory(memory.policy, numbers, numbers.count)
        // A kernel without nodes has nothing to choose from: one memory is all there is.
        guard code == 0 || code == ENOSYS else {
            throw BenchError(system: "take memory as --memory \(memory.rawValue)", code: code)
        }
    }
}

extension MemoryChoice {
    fileprivate var policy: bulla_memory_policy {
        switch self {
        case .local: BULLA_MEMORY_LOCAL
        case .interleave: BULLA_MEMORY_INTERLEAVED
        case .node: BULLA_MEMORY_BOUND
        }
    }
}
