/// Where a machine's processors and its memory are, and what of them this process may use.
///
/// A core is what the kernel schedules a thread on, and what tools number; several of them may be
/// the siblings of one physical core.
package struct Topology: Codable, Equatable, Sendable {
    /// Processors and the memory near them.
    package struct Node: Codable, Equatable, Sendable {
        package var number: Int
        /// All cores of the node that are switched on.
        package var onlineCores: [Int]
        /// The cores that this process may use, ascending; siblings stand together.
        package var physicalCores: [[Int]]
        package var memoryByteCount: Int
        package var freeMemoryByteCount: Int
        /// Whether this process may take memory from here.
        package var isMemoryAllowed: Bool

        package init(
            number: Int, onlineCores: [Int], physicalCores: [[Int]], memoryByteCount: Int,
            freeMemoryByteCount: Int, isMemoryAllowed: Bool
        ) {
            self.number = number
            self.onlineCores = onlineCores
            self.physicalCores = physicalCores
            self.memoryByteCount = memoryByteCount
            self.freeMemoryByteCount = freeMemoryByteCount
            self.isMemoryAllowed = isMemoryAllowed
        }

        /// The cores that this process may use, ascending.
        package var cores: [Int] { physicalCores.flatMap { $0 }.sorted() }
    }

    /// A cache, and who reads through it.
    package struct Cache: Codable, Equatable, Sendable {
        package var level: Int
        /// `Data`, `Instruction` or `Unified`.
        package var kind: String
        package var byteCount: Int
        /// The cores that share it, whether this process may use them or not.
        package var cores: [Int]

        package init(level: Int, kind: String, byteCount: Int, cores: [Int]) {
            self.level = level
            self.kind = kind
            self.byteCount = byteCount
            self.cores = cores
        }
    }

    /// Ascending; at least one, also where the kernel knows of none.
    package var nodes: [Node]
    package var caches: [Cache]

    package init(nodes: [Node], caches: [Cache]) {
        precondition(!nodes.isEmpty, "a machine has a node")
        self.nodes = nodes
        self.caches = caches
    }

    /// The cores that this process may use, ascending.
    package var cores: [Int] { nodes.flatMap(\.cores).sorted() }

    package var onlineCores: [Int] { nodes.flatMap(\.onlineCores).sorted() }

    /// The nodes that this process may take memory from.
    package var memoryNodes: [Int] {
        nodes.filter { $0.isMemoryAllowed && $0.memoryByteCount > 0 }.map(\.number)
    }

    package func node(_ number: Int) -> Node? { nodes.first { $0.number == number } }
}
