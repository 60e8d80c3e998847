internal import BullaText
internal import CBullaTopology
internal import Glibc

package struct Placement: Codable, Equatable, Sendable {
    package var cores: CoreChoice?
    package var memory: MemoryChoice?

    package init(cores: CoreChoice? = nil, memory: MemoryChoice? = nil) {
        (self.cores, self.memory) = (cores, memory)
    }

    /// Parses the options `--place` and `--memory`.
    ///
    /// - Throws: ``BenchExit/usage`` if one of them has an unknown value.
    package init(place: String?, memory: String?) throws {
        self.init(
            cores: try Self.choice(place, "--place", CoreChoice.expected),
            memory: try Self.choice(memory, "--memory", MemoryChoice.expected))
    }

    private static func choice<Choice: RawRepresentable<String>>(
        _ text: String?, _ option: String, _ expected: String
    ) throws -> Choice? {
        guard let text else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        throw BenchError(.usage, "\(option) is '\(text)', expected \(expected)")
    }

    /// The text of the options, or `none`.
    package var description: String {
        let parts = [cores?.rawValue, memory.map { "memory \($0.rawValue)" }].compactMap { $0 }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    /// Assigns each thread a place; threads are numbered across workers, the first worker's first.
    ///
    /// - Throws: ``BenchExit/usage`` if this process may not use the cores or memory asked for.
    package func plan(workers: Int, threads: Int, on topology: Topology) throws
        -> [[ThreadPlacement]]
    {
        precondition(workers > 0 && threads > 0, "a run has threads")
        let count = workers * threads
        let cores = try cores?.cores(threadCount: count, on: topology)
        let nodes = try memory?.nodes(on: topology) ?? []
        let places = (0..<count).map { thread in
            ThreadPlacement(cores: cores?[thread] ?? [], memory: memory, memoryNodes: nodes)
        }
        return (0..<workers).map { Array(places[$0 * threads..<($0 + 1) * threads]) }
    }
}

package enum CoreChoice: RawRepresentable, Codable, Equatable, Sendable {
    /// Threads get one sibling of each physical core, from all nodes in turn; then the others.
    case spread
    /// Threads get all siblings of one physical core, then those of the next, node by node.
    case pack
    case node(Int)
    /// Threads get these cores, one each, in this order.
    case cores([Int])

    package static let expected = "spread, pack, node:K or cores:LIST, as in cores:0-3,8"

    package init?(rawValue text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts[0], parts.count == 2 ? String(parts[1]) : nil) {
        case ("spread", nil): self = .spread
        case ("pack", nil): self = .pack
        case ("node", let number?):
            guard let number = NumberList.number(number[...]) else { return nil }
            self = .node(number)
        case ("cores", let list?):
            guard let numbers = NumberList.parsed(list) else { return nil }
            self = .cores(numbers)
        default: return nil
        }
    }

    package var rawValue: String {
        switch self {
        case .spread: "spread"
        case .pack: "pack"
        case .node(let number): "node:\(number)"
        case .cores(let numbers): "cores:\(NumberList.text(numbers))"
        }
    }

    /// The cores of each thread, by the thread's number.
    func cores(threadCount: Int, on topology: Topology) throws -> [[Int]] {
        let order: [Int]
        switch self {
        case .spread: order = Self.spread(topology)
        case .pack: order = topology.nodes.flatMap { $0.physicalCores.flatMap { $0 } }
        case .cores(let numbers): order = try checked(numbers, on: topology)
        case .node(let number):
            return Array(repeating: try cores(of: number, on: topology), count: threadCount)
        }
        guard !order.isEmpty else { throw impossible("this process may use no core") }
        return (0..<threadCount).map { [order[$0 % order.count]] }
    }

    /// First siblings precede second ones; within each kind, the nodes take turns, core by core.
    private static func spread(_ topology: Topology) -> [Int] {
        let groups = topology.nodes.flatMap { node in
            node.physicalCores.enumerated().map { (place: $0.offset, cores: $0.element) }
        }
        let ranked = groups.enumerated().flatMap { group in
            group.element.cores.enumerated().map { sibling in
                (rank: [sibling.offset, group.element.place, group.offset], core: sibling.element)
            }
        }
        return ranked.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }.map(\.core)
    }

    private func cores(of number: Int, on topology: Topology) throws -> [Int] {
        let node = try topology.node(number, for: "--place \(rawValue)")
        guard !node.onlineCores.isEmpty else { throw impossible("node \(number) has no cores") }
        guard !node.cores.isEmpty else {
            throw impossible("this process may not use the cores of node \(number)")
        }
        return node.cores
    }

    private func checked(_ numbers: [Int], on topology: Topology) throws -> [Int] {
        let online = topology.onlineCores
        let allowed = topology.cores
        if let missing = numbers.first(where: { !online.contains($0) }) {
            throw impossible("the machine has no core \(missing), but \(NumberList.text(online))")
        }
        if let closed = numbers.first(where: { !allowed.contains($0) }) {
            throw impossible(
                "this process may not use core \(closed), but \(NumberList.text(allowed))")
        }
        return numbers
    }

    private func impossible(_ reason: String) -> BenchError {
        BenchError(.usage, "--place \(rawValue): \(reason)")
    }
}

/// Where threads get their memory: the option `--memory`.
package enum MemoryChoice: RawRepresentable, Codable, Equatable, Sendable {
    /// From the node on which the thread runs when it first touches a page.
    case local
    /// From all nodes in turn, page by page.
    case interleave
    /// From this node only, even if its memory is full.
    case node(Int)

    package static let expected = "local, interleave or node:K"

    package init?(rawValue text: String) {
        switch text {
        case "local": self = .local
        case "interleave": self = .interleave
        default:
            guard text.hasPrefix("node:"), let number = NumberList.number(text.dropFirst(5)) else {
                return nil
            }
            self = .node(number)
        }
    }

    package var rawValue: String {
        switch self {
        case .local: "local"
        case .interleave: "interleave"
        case .node(let number): "node:\(number)"
        }
    }

    /// The nodes to pass to the kernel; none for local memory.
    func nodes(on topology: Topology) throws -> [Int] {
        switch self {
        case .local: return []
        case .interleave: return topology.memoryNodes
        case .node(let number):
            let node = try topology.node(number, for: "--memory \(rawValue)")
            guard node.memoryByteCount > 0 else { throw impossible("node \(number) has no memory") }
            guard node.isMemoryAllowed else {
                throw impossible("this process may not use the memory of node \(number)")
            }
            return [number]
        }
    }

    private func impossible(_ reason: String) -> BenchError {
        BenchError(.usage, "--memory \(rawValue): \(reason)")
    }
}

package struct ThreadPlacement: Codable, Equatable, Sendable {
    /// The cores that the thread may run on; if there are none, the system chooses.
    package var cores: [Int]
    package var memory: MemoryChoice?
    package var memoryNodes: [Int]

    package init(cores: [Int], memory: MemoryChoice? = nil, memoryNodes: [Int] = []) {
        (self.cores, self.memory, self.memoryNodes) = (cores, memory, memoryNodes)
    }

    /// Moves the calling thread to its cores, and makes the kernel take memory from its nodes.
    ///
    /// The choice of nodes concerns only memory that the thread first touches afterwards.
    ///
    /// - Returns: the placement that the system gave.
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
        // A kernel without nodes has only one memory, so there is nothing to choose.
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

/// Where the kernel says that a thread may run, and where its memory comes from.
package struct ObtainedPlacement: Codable, Hashable, Sendable, CustomStringConvertible {
    /// Where the kernel gets a page when the thread touches it for the first time.
    package enum Memory: String, Codable, Sendable {
        /// The kernel's default.
        case system = "default"
        case preferred
        case bound
        case interleaved
        case local
        /// The kernel knows of no nodes, or does not say.
        case unknown
    }

    package var cores: [Int]
    package var memory: Memory
    package var memoryNodes: [Int]

    package init(cores: [Int], memory: Memory, memoryNodes: [Int]) {
        (self.cores, self.memory, self.memoryNodes) = (cores, memory, memoryNodes)
    }

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
