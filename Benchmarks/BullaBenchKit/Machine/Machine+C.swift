package import BullaText
internal import Glibc

/// The machine on which a run was made; a run's figures mean nothing without it.
package struct Machine: Codable, Sendable {
    package var processor: String
    package var isVirtual: Bool
    package var coreCount: Int
    package var numaNodeCount: Int
    package var memoryByteCount: Int
    /// The caches of the first core, such as `L1 Data 32K`.
    package var caches: [String]
    package var system: String
    package var kernel: String
    package var openSSL: String
    package var fileSystem: FileSystem?
    /// The load averages over the 1, 5 and 15 minutes before the run.
    package var loadAverages: [Double]
    package var time: String
    /// The cost of reading the clock, which every contender pays once for each step.
    package var clockNanoseconds: Double
    /// Nil in older results.
    package var firstTouch: FirstTouch?

    /// This machine, with the file system that holds `directory`.
    package init(directory: String) {
        let linux = SystemText.linux
        processor =
            linux.field("model name", in: "/proc/cpuinfo")
            ?? linux.field("CPU part", in: "/proc/cpuinfo") ?? "unknown"
        isVirtual = (linux.field("flags", in: "/proc/cpuinfo") ?? "").contains(" hypervisor")
        let topology = Topology.current()
        coreCount = topology.cores.count
        numaNodeCount = topology.nodes.count
        memoryByteCount = linux.byteCount(of: "MemTotal", in: "/proc/meminfo")
        caches = topology.caches.filter { $0.cores.contains(0) }.map {
            "L\($0.level) \($0.kind) \(ByteCount($0.byteCount))"
        }
        let name = linux.lines("/etc/os-release").first { $0.hasPrefix("PRETTY_NAME=") }
        system = name?.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } ?? "Linux"
        kernel = linux.word("/proc/sys/kernel/osrelease") ?? "unknown"
        openSSL = CryptoLibrary.version ?? "unknown"
        fileSystem = FileSystem(holding: directory)
        let loads = linux.word("/proc/loadavg")?.split(separator: " ") ?? []
        loadAverages = loads.prefix(3).compactMap { Double($0) }
        time = Clock.timestamp
        clockNanoseconds = Clock.cost()
        firstTouch = FirstTouch.measured()
    }

    var facts: [(name: String, text: String)] {
        [
            ("processor", processor + (isVirtual ? " (virtual)" : "")),
            ("cores", "\(coreCount), on \(numaNodeCount) NUMA node(s)"),
            ("caches", caches.joined(separator: ", ")), ("memory", Format.bytes(memoryByteCount)),
            ("system", "\(system), Linux \(kernel)"), ("libcrypto", openSSL),
            ("file system", fileSystem?.text ?? "unknown"),
        ]
    }

    /// The machine's properties, and its state when the run started.
    var factsAtStart: [(name: String, text: String)] {
        let loads = loadAverages.map { Format.fixed($0, 2) }.joined(separator: ", ")
        return facts + [
            ("started", time), ("load before", loads),
            ("look at the clock", Format.fixed(clockNanoseconds, 0) + " ns"),
        ]
    }
}

/// The time that a process spends in the kernel when it first touches memory.
package struct FirstTouch: Codable, Sendable, Equatable {
    /// The cost of an entry into the kernel.
    package var faultNanoseconds: Double
    /// The cost of each byte that the kernel zeroes.
    package var byteNanoseconds: Double

    package func nanoseconds(faults: UInt64, byteCount: UInt64) -> Double {
        Double(faults) * faultNanoseconds + Double(byteCount) * byteNanoseconds
    }

    /// Touches memory in small pages, and in huge ones if there are any; nil if mapping it fails.
    static func measured() -> FirstTouch? {
        let (byteCount, pageByteCount) = (32 << 20, 4096)
        bringIn(byteCount)
        guard let huge = nanoseconds(byteCount, MADV_HUGEPAGE),
            let small = nanoseconds(byteCount, MADV_NOHUGEPAGE)
        else { return nil }
        // The faults for huge pages are so few that they are neglected.
        let faults = Double(byteCount / pageByteCount)
        return FirstTouch(
            faultNanoseconds: max(small - huge, 0) / faults,
            byteNanoseconds: huge / Double(byteCount))
    }

    /// Touches free memory, so that the next process to touch it does not wait for the host.
    ///
    /// The host of a virtual machine may take back memory that has been free for some seconds.
    static func bringIn(_ byteCount: Int) { _ = nanoseconds(byteCount, MADV_HUGEPAGE) }

    private static func nanoseconds(_ byteCount: Int, _ advice: Int32) -> Double? {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let memory = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return nil }
        // SAFETY: mapped above with this length, written inside it, unmapped here.
        defer { unsafe munmap(memory, byteCount) }
        _ = unsafe madvise(memory, byteCount, advice)
        let start = Clock.now
        for offset in stride(from: 0, to: byteCount, by: 4096) {
            unsafe memory.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        return Double(Clock.now - start)
    }
}

package struct FileSystem: Codable, Sendable {
    package var kind: String
    package var source: String
    package var mountPoint: String
    package var options: String

    var text: String { "\(kind), \(source) at \(mountPoint), \(options)" }

    /// The mount that holds `directory`, an absolute path without links; nil if none is found.
    ///
    /// - Parameter mounts: the text of `/proc/self/mountinfo`; nil: read it now.
    package init?(holding directory: String, mounts: String? = nil) {
        let mounts = mounts ?? SystemText.linux.contents("/proc/self/mountinfo") ?? ""
        let found = Mount.all(mounts).filter {
            [directory, "/"].contains($0.point) || directory.hasPrefix($0.point + "/")
        }
        // If several mounts have the longest mount point, takes the last, which hides the others.
        guard let best = found.reversed().max(by: { $0.point.count < $1.point.count }) else {
            return nil
        }
        (kind, source, mountPoint, options) = (best.kind, best.source, best.point, best.options)
    }
}

/// The processor time used by the machine, and by this process and its ended children.
package struct MachineLoad: Sendable {
    let total: Double
    let busy: Double
    let stolen: Double
    let own: Double

    package static func now() -> MachineLoad {
        let line = SystemText.linux.lines("/proc/stat").first ?? ""
        return MachineLoad(
            cpuLine: line, ticksPerSecond: CPUTime.ticksPerSecond, own: CPUTime.seconds)
    }

    /// - Parameter cpuLine: the first line of proc_stat(5): user, nice, system, idle and so on.
    init(cpuLine: Substring, ticksPerSecond: Double, own: Double) {
        let ticks = cpuLine.split(separator: " ").dropFirst().prefix(8).map { Double($0) ?? 0 }
        let seconds = ticks.map { $0 / ticksPerSecond }
        let idle = seconds.count == 8 ? seconds[3] + seconds[4] : 0
        total = seconds.reduce(0, +)
        stolen = seconds.count == 8 ? seconds[7] : 0
        busy = total - idle - stolen
        self.own = own
    }
}

/// How other processes and the host disturbed a run.
package struct MachineNoise: Codable, Sendable, Equatable {
    /// A run is called noisy if either share of the machine's time is above its limit.
    package static let foreignLimit = 0.05
    package static let stolenLimit = 0.01

    /// The share of all cores' time that other processes used.
    package let foreignShare: Double
    /// The share that the host of a virtual machine took away.
    package let stolenShare: Double

    package init(foreignShare: Double, stolenShare: Double) {
        (self.foreignShare, self.stolenShare) = (foreignShare, stolenShare)
    }

    package init(from start: MachineLoad, to end: MachineLoad) {
        let total = max(end.total - start.total, 0.01)
        let foreign = (end.busy - start.busy) - (end.own - start.own)
        self.init(
            foreignShare: max(foreign, 0) / total,
            stolenShare: max(end.stolen - start.stolen, 0) / total)
    }

    package var warning: String? {
        guard foreignShare > Self.foreignLimit || stolenShare > Self.stolenLimit else { return nil }
        return "the machine was noisy: other processes used \(Self.percent(foreignShare)) of its "
            + "time, its host took \(Self.percent(stolenShare))"
    }

    private static func percent(_ share: Double) -> String { Format.fixed(share * 100, 1) + " %" }
}

extension SystemText {
    private static let byteLimit = 1 << 22

    static let linux = SystemText { path in
        let bytes = try? Descriptor.open(path).readToEnd(limit: byteLimit, of: path)
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// A process's use of resources other than processor time: its memory, and counts since it started.
///
/// `faultCount` comes from getrusage(2), the rest from proc(5); nil: the kernel does not report it.
package struct ResourceUse: Equatable, Sendable {
    package var peakResidentByteCount: Int
    /// The bytes that became dirty in the page cache, even those deleted before they were written.
    package var writtenByteCount: Int?
    /// The process's own memory, without the pages of files.
    package var anonymousByteCount: Int
    /// How many times the process entered the kernel for a page that was not read from the disk.
    package var faultCount: Int

    /// The use of this process so far, without its children.
    package static func now() -> ResourceUse {
        let usage = CPUTime.usage(of: __rusage_who_t(RUSAGE_SELF.rawValue))
        return ResourceUse(.linux, faultCount: usage.ru_minflt)
    }

    package init(_ system: SystemText, faultCount: Int) {
        // Each file is read once.
        let status = system.contents("/proc/self/status")
        let own = SystemText { _ in status }
        peakResidentByteCount = own.byteCount(of: "VmHWM", in: "status")
        anonymousByteCount = own.byteCount(of: "RssAnon", in: "status")
        self.faultCount = faultCount
        writtenByteCount = system.field("write_bytes", in: "/proc/self/io").flatMap { Int($0) }
    }

    /// The bytes of this process's pages that other processes have mapped, too.
    ///
    /// - Complexity: the kernel walks through all of the process's memory.
    package static func sharedByteCount(_ system: SystemText) -> Int? {
        guard let rollup = system.contents("/proc/self/smaps_rollup") else { return nil }
        let own = SystemText { _ in rollup }
        return ["Clean", "Dirty", "Hugetlb"].reduce(0) {
            $0 + own.byteCount(of: "Shared_\($1)", in: "smaps_rollup")
        }
    }

    /// The use since `earlier`, which was measured in the same process.
    ///
    /// All but the peak are differences: the kernel keeps only the peak since the process started.
    package func since(_ earlier: ResourceUse) -> ResourceUse {
        var use = self
        use.anonymousByteCount = max(anonymousByteCount - earlier.anonymousByteCount, 0)
        use.faultCount -= earlier.faultCount
        use.writtenByteCount = earlier.writtenByteCount.flatMap { before in
            writtenByteCount.map { $0 - before }
        }
        return use
    }
}

enum CPUTime {
    /// The seconds that this process and its ended children have used.
    static var seconds: Double {
        let whose = [__rusage_who_t(RUSAGE_SELF.rawValue), RUSAGE_CHILDREN.rawValue]
        return whose.map(usage).flatMap { [$0.ru_utime, $0.ru_stime] }
            .reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    static func usage(of who: __rusage_who_t) -> rusage {
        var usage = rusage()
        // SAFETY: the call writes the one structure that it is given.
        unsafe getrusage(who, &usage)
        return usage
    }

    /// How many ticks `/proc/stat` counts in a second.
    static var ticksPerSecond: Double { Double(sysconf(Int32(_SC_CLK_TCK))) }
}
