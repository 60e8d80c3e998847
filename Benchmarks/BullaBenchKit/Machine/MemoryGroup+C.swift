internal import BullaText
internal import Glibc
internal import Synchronization

/// A run's own control group, which limits the memory of all its processes together.
///
/// The limit includes the page cache of their files. The group's parent is this process's group, or
/// one that encloses it. The deinit removes the group; if a run is killed, the next run does.
package final class MemoryGroup: Sendable {
    private static let prefix = "bulla-bench-"
    private static let made = Atomic<Int>(0)
    /// A process that has just ended may still be in its group, so removal is tried several times.
    private static let removalAttemptLimit = 100
    private static let removalNanoseconds: UInt64 = 20_000_000

    package let path: String
    private let version: MemoryGroupPlace.Version

    /// - Throws: ``BenchExit/system`` if this machine does not allow it.
    package convenience init(byteLimit: Int) throws {
        try self.init(byteLimit: byteLimit, at: MemoryGroupPlace.current())
    }

    package init(byteLimit: Int, at place: MemoryGroupPlace) throws {
        Self.removeAbandoned(in: place.parent)
        let number = Self.made.add(1, ordering: .relaxed).newValue
        path = "\(place.parent)/\(Self.prefix)\(getpid())-\(number)"
        version = place.version
        // SAFETY: the call reads the path, which lives across it.
        guard unsafe mkdir(path, 0o755) == 0 else {
            throw BenchError(system: "make the control group \(path)")
        }
        try limit(byteLimit)
    }

    deinit {
        // There is no caller left to report an error to.
        try? remove()
    }

    /// Why a group cannot be made here; nil if it seems possible, but the kernel may still refuse.
    package static func reasonUnavailable() -> String? {
        do {
            try Folder.checkWritable(holding: MemoryGroupPlace.current().parent + "/new")
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Moves a process, with all its threads, into the group.
    ///
    /// Call it before the process begins its work: its old group stays charged for earlier memory.
    package func add(process: Int32) throws { try write("\(process)", to: "cgroup.procs") }

    package func byteCount() throws -> Int {
        try number(version == .one ? "memory.usage_in_bytes" : "memory.current")
    }

    /// Removes the group once all its processes have ended; does nothing if it is already gone.
    package func remove() throws {
        for _ in 0..<Self.removalAttemptLimit {
            // SAFETY: the call reads the path, which lives across it.
            if unsafe rmdir(path) == 0 || errno == ENOENT { return }
            guard errno == EBUSY else { break }
            Clock.sleep(until: Clock.now + Self.removalNanoseconds)
        }
        throw BenchError(system: "remove the control group \(path)")
    }

    /// Limits memory and forbids swap, because the run must not measure swapping.
    private func limit(_ byteLimit: Int) throws {
        let name = version == .one ? "memory.limit_in_bytes" : "memory.max"
        try write("\(byteLimit)", to: name)
        let pageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))
        let obtained = try number(name)
        guard obtained / pageByteCount == byteLimit / pageByteCount else {
            let limits = "\(byteLimit): it got \(obtained)"
            throw BenchError(.system, "limit the control group \(path) to \(limits)")
        }
        // Kernels that do not account for swap lack this file.
        let swap = version == .one ? "memory.memsw.limit_in_bytes" : "memory.swap.max"
        guard SystemText.linux.contents(path + "/" + swap) != nil else { return }
        try write(version == .one ? "\(byteLimit)" : "0", to: swap)
    }

    private func number(_ name: String) throws -> Int {
        guard let number = SystemText.linux.word(path + "/" + name).flatMap({ Int($0) }) else {
            throw BenchError(.system, "read \(name) of the control group \(path): no number")
        }
        return number
    }

    private func write(_ text: String, to name: String) throws {
        do {
            try Descriptor.replace(path + "/" + name).write(Array(text.utf8))
        } catch let error as BenchError {
            throw BenchError(
                error.exit, "set \(name) of the control group \(path) to \(text): \(error)")
        }
    }

    /// Removes the groups of runs that have ended, except those that still contain a process.
    private static func removeAbandoned(in parent: String) {
        for name in Folder.names(in: parent) where name.hasPrefix(prefix) {
            let owner = name.dropFirst(prefix.count).split(separator: "-").first
            guard let process = owner.flatMap({ Int32($0) }), kill(process, 0) != 0, errno == ESRCH
            else { continue }
            // SAFETY: the call reads the path, which lives across it.
            _ = unsafe rmdir(parent + "/" + name)
        }
    }
}

/// Where a control group can be made: in this process's own group, or in one that encloses it.
package struct MemoryGroupPlace: Equatable, Sendable {
    package enum Version: Int, Sendable {
        case one = 1
        case two = 2
    }

    package let version: Version
    package let parent: String

    package static func current() throws -> MemoryGroupPlace {
        try MemoryGroupPlace(
            groups: SystemText.linux.contents("/proc/self/cgroup") ?? "",
            mounts: SystemText.linux.contents("/proc/self/mountinfo") ?? "",
            contents: SystemText.linux.contents)
    }

    package init(version: Version, parent: String) {
        (self.version, self.parent) = (version, parent)
    }

    /// - Parameters:
    ///   - groups: the text of `/proc/self/cgroup`; see cgroups(7).
    ///   - mounts: the text of `/proc/self/mountinfo`.
    ///   - contents: reads the file at a path; nil if there is none.
    /// - Throws: ``BenchExit/system`` with the reason if there is no such place.
    package init(groups: String, mounts: String, contents: (String) -> String?) throws {
        let lines = groups.split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }.filter { $0.count == 3 }
        let mounts = Mount.all(mounts)
        // The memory controller is either in a tree of version one or in that of version two.
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

    /// The nearest group that passes the memory controller on to its children.
    ///
    /// In version two, a group with processes cannot do that, so this process's group rarely can.
    /// The search fails at a group with a limit: a child of a higher group would escape that limit.
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
                throw unavailable("\(folder) has a memory limit, and passes no controller on")
            }
            guard folder != top, let slash = folder.lastIndex(of: "/") else {
                throw unavailable("no group passes on the memory controller")
            }
            folder = String(folder[..<slash])
        }
    }

    private static func unavailable(_ reason: String) -> BenchError {
        BenchError(.system, "make a control group: \(reason)")
    }
}

extension Mount {
    fileprivate var hasMemory: Bool {
        kind == "cgroup" && ownOptions.split(separator: ",").contains("memory")
    }

    /// The folder of a group; nil if the group is not visible in this mount.
    fileprivate func folder(of group: Substring) -> String? {
        guard root != "/" else { return group == "/" ? point : point + group }
        guard group == root || group.hasPrefix(root + "/") else { return nil }
        return point + group.dropFirst(root.count)
    }
}
