internal import BullaText
internal import Glibc
internal import Synchronization

/// A control group of this run's own, whose processes together get no more memory than its limit:
/// their own, and the page cache of the files that they read and write.
///
/// Made below the group that this process is in, and removed when it goes away. A run that was
/// killed cannot remove its own: the next one does.
package final class MemoryGroup: Sendable {
    private static let prefix = "bulla-bench-"
    private static let made = Atomic<Int>(0)
    /// A process that has just ended may still be in its group for a moment.
    private static let removalAttemptLimit = 100
    private static let removalNanoseconds: UInt64 = 20_000_000

    package let path: String
    private let version: MemoryGroupPlace.Version

    /// - Throws: ``BenchExit/system`` where this machine does not let it be made.
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
        // Nobody is left to be told.
        try? remove()
    }

    /// Why a group cannot be made here; nil where it seems that it can.
    ///
    /// Looks, and makes none: what the kernel refuses all the same is an error of the making.
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
    /// What memory it has already stays charged to where it was: to be called before it works.
    package func add(process: Int32) throws { try write("\(process)", to: "cgroup.procs") }

    package func byteCount() throws -> Int {
        try number(version == .one ? "memory.usage_in_bytes" : "memory.current")
    }

    /// Removes it, once all its processes have ended; does nothing when it is gone.
    package func remove() throws {
        for _ in 0..<Self.removalAttemptLimit {
            // SAFETY: the call reads the path, which lives across it.
            if unsafe rmdir(path) == 0 || errno == ENOENT { return }
            guard errno == EBUSY else { break }
            Clock.sleep(until: Clock.now + Self.removalNanoseconds)
        }
        throw BenchError(system: "remove the control group \(path)")
    }

    /// Limits memory, and swap to none beside it: swapped out is not what is to be measured.
    private func limit(_ byteLimit: Int) throws {
        let name = version == .one ? "memory.limit_in_bytes" : "memory.max"
        try write("\(byteLimit)", to: name)
        let pageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))
        let obtained = try number(name)
        guard obtained / pageByteCount == byteLimit / pageByteCount else {
            let limits = "\(byteLimit): it got \(obtained)"
            throw BenchError(.system, "limit the control group \(path) to \(limits)")
        }
        // Kernels that do not account for swap have no such file.
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

    /// Removes the groups of runs that are gone; the kernel keeps those that have a process.
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

/// Where a control group can be made: below this process's own, so that no limit is left behind.
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
    ///   - groups: as `/proc/self/cgroup`; see cgroups(7).
    ///   - mounts: as `/proc/self/mountinfo`.
    ///   - contents: what the file at a path says; nil where there is none.
    /// - Throws: ``BenchExit/system`` where there is no such place, and says why.
    package init(groups: String, mounts: String, contents: (String) -> String?) throws {
        let lines = groups.split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }.filter { $0.count == 3 }
        let mounts = Mount.all(mounts)
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

extension Mount {
    fileprivate var hasMemory: Bool {
        kind == "cgroup" && ownOptions.split(separator: ",").contains("memory")
    }

    /// The folder of a group; nil where it is not in sight.
    fileprivate func folder(of group: Substring) -> String? {
        guard root != "/" else { return group == "/" ? point : point + group }
        guard group == root || group.hasPrefix(root + "/") else { return nil }
        return point + group.dropFirst(root.count)
    }
}
