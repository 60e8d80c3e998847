/// Where threads take their memory from: what `--memory` says.
package enum MemoryChoice: RawRepresentable, Codable, Equatable, Sendable {
    /// From the node that the thread runs on when it first touches a page.
    case local
    /// From all nodes in turn, page by page.
    case interleave
    /// From one node, and from no other even when it is full.
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

    /// The nodes that the kernel is to be told; none for local memory.
    func nodes(on topology: Topology) throws -> [Int] {
        switch self {
        case .local: return []
        case .interleave: return topology.memoryNodes
        case .node(let number):
            try check(number, on: topology)
            return [number]
        }
    }

    private func check(_ number: Int, on topology: Topology) throws {
        guard let node = topology.node(number) else {
            let nodes = NumberList.text(topology.nodes.map(\.number))
            throw impossible("the machine has no node \(number), but \(nodes)")
        }
        guard node.memoryByteCount > 0 else { throw impossible("node \(number) has no memory") }
        guard node.isMemoryAllowed else {
            throw impossible("this process may not use the memory of node \(number)")
        }
    }

    private func impossible(_ reason: String) -> BenchError {
        BenchError(.usage, "--memory \(rawValue): \(reason)")
    }
}
