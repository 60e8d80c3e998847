/// Where a control group with a memory limit of its own can be made: below one that this process is
/// in already, so that no limit that was set for it is left behind.
package struct MemoryGroupPlace: Equatable, Sendable {
    package enum Version: Int, Sendable {
        case one = 1
        case two = 2
    }

    package let version: Version
    /// The folder of the group that the new one is made in.
    package let parent: String

    /// This process's.
    package static func current() throws -> MemoryGroupPlace {
        try MemoryGroupPlace(
            groups: SystemText.contents("/proc/self/cgroup") ?? "",
            mounts: SystemText.contents("/proc/self/mountinfo") ?? "",
            contents: SystemText.contents)
    }

    package init(version: Version, parent: String) {
        self.version = version
        self.parent = parent
    }

    /// - Parameters:
    ///   - groups: as `/proc/self/cgroup`; see cgroups(7).
    ///   - mounts: as `/proc/self/mountinfo`.
    ///   - contents: what the file at a path says; nil where there is none.
    /// - Throws: ``BenchExit/system`` where there is no such place, and says why.
    package init(groups: String, mounts: String, contents: (String) -> String?) throws {
        let lines = groups.split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }.filter { $0.count == 3 }
        let mounts = mounts.split(separator: "\n").compactMap { Mount($0) }
        // Of a machine that has both, the controller is in the first version's tree or in none.
        if let line = lines.first(where: { $0[1].split(separator: ",").contains("memory") }) {
            guard let mount = mounts.first(where: \.hasMemory),
                let folder = mount.folder(of: line[2])
            else { throw Self.unavailable("the memory controller is not mounted") }
            version = .one
            parent = folder
            return
        }
        guard let line = lines.first(where: { $0[0] == "0" }),
            let mount = mounts.first(where: { $0.kind == "cgroup2" }),
            let folder = mount.folder(of: line[2])
        else { throw Self.unavailable("control groups are not mounted") }
        version = .two
        parent = try Self.parent(from: folder, top: mount.point, contents)
    }

    /// The nearest group that hands the memory controller down.
    ///
    /// The second version does so only where no process is, so it is rarely this process's own. No
    /// group with a limit is left for one further up.
    private static func parent(
        from own: String, top: String, _ contents: (String) -> String?
    ) throws -> String {
        var folder = own
        while true {
            let handed = contents(folder + "/cgroup.subtree_control") ?? ""
            if handed.split(whereSeparator: \.isWhitespace).contains("memory") { return folder }
            let limits = ["memory.max", "memory.high"].map {
                SystemText.trimmed((contents(folder + "/" + $0) ?? "max")[...])
            }
            guard limits.allSatisfy({ $0 == "max" }) else {
                throw unavailable("\(folder) has a memory limit, and does not hand it down")
            }
            guard folder != top, let slash = folder.lastIndex(of: "/") else {
                throw unavailable("no group hands the memory controller down")
            }
            folder = String(folder[..<slash])
        }
    }

    private static func unavailable(_ reason: String) -> BenchError {
        BenchError(.system, "make a control group: \(reason)")
    }
}

/// A line of `/proc/self/mountinfo`, as far as control groups are concerned.
private struct Mount {
    /// What of the tree of groups is seen at ``point``.
    let root: String
    let point: String
    let kind: String
    /// The memory controller of the first version.
    let hasMemory: Bool

    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 3,
            words[dash + 1].hasPrefix("cgroup")
        else { return nil }
        root = String(words[3])
        point = String(words[4])
        kind = String(words[dash + 1])
        hasMemory = kind == "cgroup" && words[dash + 3].split(separator: ",").contains("memory")
    }

    /// The folder of a group; nil where it is not in sight.
    func folder(of group: Substring) -> String? {
        guard root != "/" else { return group == "/" ? point : point + group }
        guard group == root || group.hasPrefix(root + "/") else { return nil }
        return point + group.dropFirst(root.count)
    }
}
