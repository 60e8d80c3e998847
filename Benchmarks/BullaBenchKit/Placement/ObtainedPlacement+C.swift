internal import CBullaTopology

/// Where a thread really may run, and where its memory really comes from: what the kernel says.
package struct ObtainedPlacement: Codable, Hashable, Sendable, CustomStringConvertible {
    /// What the kernel does with a page that the thread touches first.
    package enum Memory: String, Codable, Sendable {
        /// As the kernel is set up; where nobody chose.
        case system = "default"
        case preferred
        case bound
        case interleaved
        case local
        /// The kernel knows of no nodes, or will not tell.
        case unknown
    }

    package var cores: [Int]
    package var memory: Memory
    package var memoryNodes: [Int]

    package init(cores: [Int], memory: Memory, memoryNodes: [Int]) {
        self.cores = cores
        self.memory = memory
        self.memoryNodes = memoryNodes
    }

    /// The calling thread's.
    package static func current() throws -> ObtainedPlacement {
        let (memory, nodes) = memory()
        return ObtainedPlacement(cores: try cores(), memory: memory, memoryNodes: nodes)
    }

    /// `core 3, memory bound to node 0`.
    package var description: String {
        let place = (cores.count == 1 ? "core " : "cores ") + NumberList.text(cores)
        let nodes = (memoryNodes.count == 1 ? "node " : "nodes ") + NumberList.text(memoryNodes)
        switch memory {
        case .bound: return "\(place), memory bound to \(nodes)"
        case .interleaved: return "\(place), memory interleaved over \(nodes)"
        case .preferred: return "\(place), memory preferred from \(nodes)"
        case .system, .local, .unknown: return "\(place), memory \(memory.rawValue)"
        }
    }

    private static let coreLimit = 8192
    private static let nodeLimit = 1024

    private static func cores() throws -> [Int] {
        var numbers = [Int32](repeating: 0, count: coreLimit)
        // SAFETY: the call writes at most as many numbers as the array has.
        let count = unsafe bulla_topology_processors(&numbers, numbers.count)
        guard count >= 0 else { throw BenchError(system: "ask for a thread's cores", code: -count) }
        return numbers.prefix(Int(count)).map { Int($0) }
    }

    private static func memory() -> (Memory, nodes: [Int]) {
        var policy = BULLA_MEMORY_DEFAULT
        var numbers = [Int32](repeating: 0, count: nodeLimit)
        // SAFETY: the call writes the policy, and at most as many numbers as the array has.
        let count = unsafe bulla_topology_memory(&policy, &numbers, numbers.count)
        guard count >= 0 else { return (.unknown, []) }
        return (memory(policy), numbers.prefix(Int(count)).map { Int($0) })
    }

    private static func memory(_ policy: bulla_memory_policy) -> Memory {
        switch policy {
        case BULLA_MEMORY_DEFAULT: .system
        case BULLA_MEMORY_PREFERRED: .preferred
        case BULLA_MEMORY_BOUND: .bound
        case BULLA_MEMORY_INTERLEAVED: .interleaved
        case BULLA_MEMORY_LOCAL: .local
        default: .unknown
        }
    }
}
