internal import BullaText
internal import Foundation

/// Where a machine's processors and memory are, and which of them this process may use.
///
/// A core is what the kernel schedules a thread on; several can be siblings in one physical core.
package struct Topology: Codable, Equatable, Sendable {
    /// Processors and the memory near them.
    package struct Node: Codable, Equatable, Sendable {
        package var number: Int
        /// All cores of the node that are switched on.
        package var onlineCores: [Int]
        /// The cores that this process may use, ascending, grouped by physical core.
        package var physicalCores: [[Int]]
        package var memoryByteCount: Int
        package var freeMemoryByteCount: Int
        /// Whether this process may use this node's memory.
        package var isMemoryAllowed: Bool

        /// The cores that this process may use, ascending.
        package var cores: [Int] { physicalCores.flatMap { $0 }.sorted() }
    }

    /// A cache, and the cores that share it.
    package struct Cache: Codable, Equatable, Sendable {
        package var level: Int
        /// `Data`, `Instruction` or `Unified`.
        package var kind: String
        package var byteCount: Int
        /// The cores that share it, including those that this process may not use.
        package var cores: [Int]
    }

    /// The nodes, ascending; at least one, even if the kernel knows of none.
    package var nodes: [Node]
    package var caches: [Cache]

    package init(nodes: [Node], caches: [Cache]) {
        precondition(!nodes.isEmpty, "a machine has a node")
        (self.nodes, self.caches) = (nodes, caches)
    }

    /// The cores that this process may use, ascending.
    package var cores: [Int] { nodes.flatMap(\.cores).sorted() }
    package var onlineCores: [Int] { nodes.flatMap(\.onlineCores).sorted() }

    /// The nodes whose memory this process may use.
    package var memoryNodes: [Int] {
        nodes.filter { $0.isMemoryAllowed && $0.memoryByteCount > 0 }.map(\.number)
    }

    /// - Parameter option: the option that asks for the node.
    func node(_ number: Int, for option: String) throws -> Node {
        if let node = nodes.first(where: { $0.number == number }) { return node }
        let others = NumberList.text(nodes.map(\.number))
        throw BenchError(.usage, "\(option): the machine has no node \(number), but \(others)")
    }
}

/// Reads the topology from sysfs and proc(5).
extension Topology {
    /// How many caches are looked up for each core; no processor has more per core.
    private static let cacheIndexLimit = 8

    package static func current() -> Topology { Topology(SystemText.linux.contents) }

    /// - Parameter contents: reads the file at a path; nil if there is none.
    package init(_ contents: @escaping @Sendable (String) -> String?) {
        let system = SystemText(contents: contents)
        let allowedCores = system.field("Cpus_allowed_list", in: "/proc/self/status")
            .flatMap(NumberList.parsed)
        // Without /sys, as in some containers, only the cores that this process may use are known.
        let online = system.list("/sys/devices/system/cpu/online") ?? allowedCores ?? [0]
        let allowed = Set(allowedCores ?? online)
        let memoryNodes = system.field("Mems_allowed_list", in: "/proc/self/status")
            .flatMap(NumberList.parsed)
        let numbers = system.list("/sys/devices/system/node/online") ?? []
        let nodes = (numbers.isEmpty ? [nil] : numbers.map { $0 }).map { number in
            Node(number, online: online, allowed: allowed, memoryNodes: memoryNodes, system)
        }
        self.init(nodes: nodes, caches: Self.caches(online: online, system))
    }

    private static func caches(online: [Int], _ system: SystemText) -> [Cache] {
        var caches: [Cache] = []
        for core in online {
            for index in 0..<cacheIndexLimit {
                let folder = "/sys/devices/system/cpu/cpu\(core)/cache/index\(index)/"
                // Every core that shares a cache describes it; one description is enough.
                if let cache = Cache(folder, core: core, system), !caches.contains(cache) {
                    caches.append(cache)
                }
            }
        }
        return caches
    }

    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}

extension Topology.Node {
    /// - Parameter number: nil for the whole machine, if the kernel knows of no nodes.
    fileprivate init(
        _ number: Int?, online: [Int], allowed: Set<Int>, memoryNodes: [Int]?, _ system: SystemText
    ) {
        let folder = number.map { "/sys/devices/system/node/node\($0)/" }
        let ownCores = folder.map { system.list($0 + "cpulist") ?? [] } ?? online
        let cores = ownCores.filter { online.contains($0) }
        let memory = (folder ?? "/proc/") + "meminfo"
        self.init(
            number: number ?? 0, onlineCores: cores,
            physicalCores: Self.physical(cores.filter(allowed.contains), system),
            memoryByteCount: system.byteCount(of: "MemTotal", in: memory),
            freeMemoryByteCount: system.byteCount(of: "MemFree", in: memory),
            isMemoryAllowed: number.map { memoryNodes?.contains($0) ?? true } ?? true)
    }

    /// Groups cores, so that those of one physical core form a group.
    private static func physical(_ cores: [Int], _ system: SystemText) -> [[Int]] {
        var left = cores
        var groups: [[Int]] = []
        while let first = left.first {
            let path = "/sys/devices/system/cpu/cpu\(first)/topology/thread_siblings_list"
            let siblings = Set(system.list(path) ?? []).union([first])
            groups.append(left.filter(siblings.contains))
            left.removeAll(where: siblings.contains)
        }
        return groups
    }
}

extension Topology.Cache {
    fileprivate init?(_ folder: String, core: Int, _ system: SystemText) {
        guard let level = system.word(folder + "level").flatMap({ Int($0) }),
            let kind = system.word(folder + "type"),
            let byteCount = system.word(folder + "size").flatMap(ByteCount.init)
        else { return nil }
        self.init(
            level: level, kind: kind, byteCount: byteCount.count,
            cores: system.list(folder + "shared_cpu_list") ?? [core])
    }
}

package enum TopologyText {
    package static func lines(_ topology: Topology) -> [String] {
        nodes(topology) + [""] + caches(topology.caches) + ending(topology)
    }

    private static func nodes(_ topology: Topology) -> [String] {
        var table = TextTable(
            header: ["node", "cores", "physical", "memory", "free", "siblings"], leftColumnCount: 2)
        for node in topology.nodes {
            let siblings = node.physicalCores.filter { $0.count > 1 }
            table.append([
                "\(node.number)", node.cores.isEmpty ? "none" : NumberList.text(node.cores),
                "\(node.physicalCores.count)", Format.bytes(node.memoryByteCount),
                node.isMemoryAllowed ? Format.bytes(node.freeMemoryByteCount) : "not allowed",
                siblings.isEmpty ? "none" : siblings.map(NumberList.text).joined(separator: " "),
            ])
        }
        return table.lines
    }

    /// The lines of the caches; caches of the same kind and size share one line.
    private static func caches(_ caches: [Topology.Cache]) -> [String] {
        guard !caches.isEmpty else { return ["The kernel reports no caches."] }
        var table = TextTable(
            header: ["cache", "bytes", "shared by the cores"], leftColumnCount: 1)
        let groups = caches.grouped { ["L\($0.level) \($0.kind)", Format.bytes($0.byteCount)] }
        for (key, alike) in groups {
            table.append(key + [alike.map { NumberList.text($0.cores) }.joined(separator: " ")])
        }
        return table.lines
    }

    private static func ending(_ topology: Topology) -> [String] {
        let allowed = Set(topology.cores)
        let closed = topology.onlineCores.filter { !allowed.contains($0) }
        guard !closed.isEmpty else { return [] }
        return ["", "This process may not use the cores \(NumberList.text(closed))."]
    }
}
