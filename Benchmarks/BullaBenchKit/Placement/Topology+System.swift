internal import Foundation

/// Reading it from the files in which Linux tells about itself: sysfs, and proc(5).
extension Topology {
    /// No processor has more caches than this.
    private static let cacheIndexLimit = 8

    /// This machine's.
    package static func current() -> Topology {
        Topology { SystemText.contents($0) }
    }

    /// - Parameter contents: what the file at a path says; nil where there is none.
    package init(_ contents: @escaping (String) -> String?) {
        let system = SystemFiles(contents: contents)
        let allowedCores = system.statusList("Cpus_allowed_list")
        // Without /sys, as in a bare root folder, what this process may use is all that is known.
        let online = system.list("/sys/devices/system/cpu/online") ?? allowedCores ?? [0]
        let allowed = Set(allowedCores ?? online)
        let memoryNodes = system.statusList("Mems_allowed_list")
        let numbers = system.list("/sys/devices/system/node/online") ?? []
        let nodes = numbers.map { number in
            Node(number, online: online, allowed: allowed, memoryNodes: memoryNodes, system)
        }
        self.init(
            nodes: nodes.isEmpty ? [Node(online: online, allowed: allowed, system)] : nodes,
            caches: Self.caches(online: online, system))
    }

    private static func caches(online: [Int], _ system: SystemFiles) -> [Cache] {
        var caches: [Cache] = []
        for core in online {
            for index in 0..<cacheIndexLimit {
                let folder = "/sys/devices/system/cpu/cpu\(core)/cache/index\(index)/"
                // Each core tells of the caches that it shares: the first one's word is enough.
                if let cache = Cache(folder, core: core, system), !caches.contains(cache) {
                    caches.append(cache)
                }
            }
        }
        return caches
    }

    /// As JSON with its keys sorted.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}

extension Topology.Node {
    /// A node that the kernel tells of.
    fileprivate init(
        _ number: Int, online: [Int], allowed: Set<Int>, memoryNodes: [Int]?, _ system: SystemFiles
    ) {
        let folder = "/sys/devices/system/node/node\(number)/"
        let cores = (system.list(folder + "cpulist") ?? []).filter { online.contains($0) }
        self.init(
            number: number, onlineCores: cores,
            physicalCores: Self.physical(cores.filter(allowed.contains), system),
            memoryByteCount: system.kibibytes("MemTotal", folder + "meminfo"),
            freeMemoryByteCount: system.kibibytes("MemFree", folder + "meminfo"),
            isMemoryAllowed: memoryNodes?.contains(number) ?? true)
    }

    /// The whole machine, where the kernel knows of no nodes.
    fileprivate init(online: [Int], allowed: Set<Int>, _ system: SystemFiles) {
        self.init(
            number: 0, onlineCores: online,
            physicalCores: Self.physical(online.filter(allowed.contains), system),
            memoryByteCount: system.kibibytes("MemTotal", "/proc/meminfo"),
            freeMemoryByteCount: system.kibibytes("MemFree", "/proc/meminfo"),
            isMemoryAllowed: true)
    }

    /// Puts siblings together.
    private static func physical(_ cores: [Int], _ system: SystemFiles) -> [[Int]] {
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
    fileprivate init?(_ folder: String, core: Int, _ system: SystemFiles) {
        guard let level = system.word(folder + "level").flatMap({ Int($0) }),
            let kind = system.word(folder + "type"),
            let byteCount = system.word(folder + "size").flatMap(ByteCount.parsed)
        else { return nil }
        self.init(
            level: level, kind: kind, byteCount: byteCount,
            cores: system.list(folder + "shared_cpu_list") ?? [core])
    }
}

/// Small files of Linux, found by path.
private struct SystemFiles {
    let contents: (String) -> String?

    func word(_ path: String) -> String? {
        contents(path).map { SystemText.trimmed($0[...]) }
    }

    /// A list of numbers; nil where there is no such file, or it names none.
    func list(_ path: String) -> [Int]? {
        word(path).flatMap(NumberList.parsed)
    }

    /// A list in what the kernel tells about this process.
    func statusList(_ name: String) -> [Int]? {
        let lines = contents("/proc/self/status")?.split(separator: "\n") ?? []
        guard let line = lines.first(where: { $0.hasPrefix(name + ":") }) else { return nil }
        return NumberList.parsed(SystemText.trimmed(line.dropFirst(name.count + 1)))
    }

    /// The bytes of a line such as `Node 0 MemTotal: 24684096 kB`.
    func kibibytes(_ name: String, _ path: String) -> Int {
        for line in contents(path)?.split(separator: "\n") ?? [] {
            let words = line.split(separator: " ")
            guard let at = words.firstIndex(of: name + ":"), at + 1 < words.count else { continue }
            return (Int(words[at + 1]) ?? 0) << 10
        }
        return 0
    }
}
