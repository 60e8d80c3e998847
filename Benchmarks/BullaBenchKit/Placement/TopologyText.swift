/// A topology as people read it.
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
                siblings.isEmpty
                    ? "none" : siblings.map(NumberList.text).joined(separator: " "),
            ])
        }
        return table.lines
    }

    /// Caches that are alike make one line.
    private static func caches(_ caches: [Topology.Cache]) -> [String] {
        guard !caches.isEmpty else { return ["The kernel tells of no caches."] }
        var table = TextTable(
            header: ["cache", "bytes", "shared by the cores"], leftColumnCount: 1)
        var names: [String] = []
        var owners: [String: [String]] = [:]
        var sizes: [String: String] = [:]
        for cache in caches {
            let size = Format.bytes(cache.byteCount)
            let name = "L\(cache.level) \(cache.kind)"
            let key = name + " " + size
            if owners[key] == nil { names.append(key) }
            owners[key, default: []].append(NumberList.text(cache.cores))
            sizes[key] = size
        }
        for key in names {
            let size = sizes[key] ?? ""
            table.append([
                String(key.dropLast(size.count + 1)), size,
                (owners[key] ?? []).joined(separator: " "),
            ])
        }
        return table.lines
    }

    /// What of the machine is closed to this process.
    private static func ending(_ topology: Topology) -> [String] {
        let allowed = Set(topology.cores)
        let closed = topology.onlineCores.filter { !allowed.contains($0) }
        guard !closed.isEmpty else { return [] }
        return ["", "This process may not use the cores \(NumberList.text(closed))."]
    }
}
