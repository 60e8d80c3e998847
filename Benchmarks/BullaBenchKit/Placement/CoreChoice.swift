/// Where threads run: what `--place` says.
package enum CoreChoice: RawRepresentable, Codable, Equatable, Sendable {
    /// Over the nodes, then over the physical cores of each; siblings come last.
    case spread
    /// One physical core's siblings after the other, one node after the other.
    case pack
    /// On any core of one node.
    case node(Int)
    /// On these, one for each thread, in this order.
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
        if case .node(let number) = self {
            return Array(repeating: try cores(of: number, on: topology), count: threadCount)
        }
        let order = try order(on: topology)
        return (0..<threadCount).map { [order[$0 % order.count]] }
    }

    /// One core after the other, each for one thread.
    private func order(on topology: Topology) throws -> [Int] {
        var order: [Int] = []
        switch self {
        case .spread: order = Self.spread(topology)
        case .pack: order = topology.nodes.flatMap { $0.physicalCores.flatMap { $0 } }
        case .node(let number): order = try cores(of: number, on: topology)
        case .cores(let numbers): order = try checked(numbers, on: topology)
        }
        guard !order.isEmpty else { throw impossible("this process may use no core") }
        return order
    }

    /// The first siblings of all physical cores, then the second ones; of each, the first physical
    /// core of every node, then the second.
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
        guard let node = topology.node(number) else {
            let nodes = NumberList.text(topology.nodes.map(\.number))
            throw impossible("the machine has no node \(number), but \(nodes)")
        }
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
