internal import BullaText
internal import Glibc

/// What a run ran on: figures without it mean nothing.
package struct Machine: Codable, Sendable {
    package var processor: String
    package var isVirtual: Bool
    package var coreCount: Int
    package var numaNodeCount: Int
    package var memoryByteCount: Int
    /// As `L1 Data 32K`, of the first core.
    package var caches: [String]
    package var system: String
    package var kernel: String
    package var openSSL: String
    package var fileSystem: FileSystem?
    /// Over 1, 5 and 15 minutes, when the run started.
    package var loadAverages: [Double]
    package var time: String
    /// What asking for the time costs: each step of each side is charged with it once.
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
        memoryByteCount = linux.kibibytes("MemTotal", in: "/proc/meminfo")
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
}

/// What a process pays the kernel for memory that it touches for the first time.
package struct FirstTouch: Codable, Sendable, Equatable {
    /// For an entry into the kernel, and for each byte that it zeroes.
    package var faultNanoseconds: Double
    package var byteNanoseconds: Double

    package func nanoseconds(faults: UInt64, byteCount: UInt64) -> Double {
        Double(faults) * faultNanoseconds + Double(byteCount) * byteNanoseconds
    }

    /// Touches memory in small pages and in huge ones; nil where none can be had.
    static func measured() -> FirstTouch? {
        let (byteCount, pageByteCount) = (32 << 20, 4096)
        guard let huge = nanoseconds(byteCount, MADV_HUGEPAGE),
            let small = nanoseconds(byteCount, MADV_NOHUGEPAGE)
        else { return nil }
        // The faults of huge pages are too few to count.
        let faults = Double(byteCount / pageByteCount)
        return FirstTouch(
            faultNanoseconds: max(small - huge, 0) / faults,
            byteNanoseconds: huge / Double(byteCount))
    }

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

    /// The mount that holds `directory`, which is an absolute path without links; nil where none is
    /// found.
    ///
    /// - Parameter mounts: as `/proc/self/mountinfo` lists them; nil: as it does now.
    package init?(holding directory: String, mounts: String? = nil) {
        let mounts = mounts ?? SystemText.linux.contents("/proc/self/mountinfo") ?? ""
        let found = Mount.all(mounts).filter {
            [directory, "/"].contains($0.point) || directory.hasPrefix($0.point + "/")
        }
        // The last one of the longest: a later mount hides an earlier one at the same place.
        guard let best = found.reversed().max(by: { $0.point.count < $1.point.count }) else {
            return nil
        }
        (kind, source, mountPoint, options) = (best.kind, best.source, best.point, best.options)
    }
}

/// What the machine has done so far, for everybody.
struct MachineLoad: Sendable {
    let total: Double
    let busy: Double
    let stolen: Double
    let own: Double

    static func now() -> MachineLoad {
        let line = SystemText.linux.lines("/proc/stat").first ?? ""
        return MachineLoad(
            cpuLine: line, ticksPerSecond: CPUTime.ticksPerSecond, own: CPUTime.seconds)
    }

    /// - Parameter cpuLine: user, nice, system, idle, iowait, irq, softirq, steal: proc_stat(5).
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

/// What others did to the machine while a run measured.
package struct MachineNoise: Codable, Sendable, Equatable {
    /// Above these shares of the machine's time, the run is called noisy.
    package static let foreignLimit = 0.05
    package static let stolenLimit = 0.01

    /// The share of all cores' time that other processes used.
    package let foreignShare: Double
    /// The share that the host of a virtual machine took away.
    package let stolenShare: Double

    package init(foreignShare: Double, stolenShare: Double) {
        (self.foreignShare, self.stolenShare) = (foreignShare, stolenShare)
    }

    init(from start: MachineLoad, to end: MachineLoad) {
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

/// What a process uses: the memory that it had, and how much of everything else so far.
///
/// Read from the files that proc(5) describes; nil is what the kernel does not tell.
package struct ResourceUse: Equatable, Sendable {
    package var peakResidentByteCount: Int
    /// Of pages that other processes have mapped too.
    package var sharedByteCount: Int?
    package var cpuSeconds: Double
    /// What was handed to the disk, or will be: not what went into the page cache and was deleted.
    package var writtenByteCount: Int?
    /// Of its own, not of files; and how often it entered the kernel for a page.
    package var anonymousByteCount: Int
    package var faultCount: Int

    /// This process's, so far, without that of its children.
    package static func now() -> ResourceUse {
        ResourceUse(
            status: SystemText.linux.contents("/proc/self/status") ?? "",
            rollup: SystemText.linux.contents("/proc/self/smaps_rollup"),
            io: SystemText.linux.contents("/proc/self/io"),
            cpuSeconds: CPUTime.seconds(of: __rusage_who_t(RUSAGE_SELF.rawValue)),
            faultCount: CPUTime.usage(of: __rusage_who_t(RUSAGE_SELF.rawValue)).ru_minflt)
    }

    /// - Parameters:
    ///   - status: as `/proc/self/status`.
    ///   - rollup: as `/proc/self/smaps_rollup`; nil where there is none.
    ///   - io: as `/proc/self/io`; nil where there is none.
    package init(
        status: String, rollup: String?, io: String?, cpuSeconds: Double, faultCount: Int = 0
    ) {
        let memory = Self.byteCounts(status)
        peakResidentByteCount = memory["VmHWM"] ?? 0
        anonymousByteCount = memory["RssAnon"] ?? 0
        self.faultCount = faultCount
        sharedByteCount = rollup.map { text in
            Self.byteCounts(text).filter { $0.key.hasPrefix("Shared_") }.values.reduce(0, +)
        }
        writtenByteCount = io.flatMap { Self.byteCounts($0)["write_bytes"] }
        self.cpuSeconds = cpuSeconds
    }

    /// What was used since `earlier`, a reading of the same process.
    ///
    /// What is counted is subtracted, and of its own memory what came. The rest is as it is now,
    /// and its peak is that of the process's whole life: the kernel knows no other.
    package func since(_ earlier: ResourceUse) -> ResourceUse {
        var use = self
        use.cpuSeconds -= earlier.cpuSeconds
        use.anonymousByteCount = max(anonymousByteCount - earlier.anonymousByteCount, 0)
        use.faultCount -= earlier.faultCount
        use.writtenByteCount = earlier.writtenByteCount.flatMap { before in
            writtenByteCount.map { $0 - before }
        }
        return use
    }

    /// The numbers of lines such as `VmRSS:  1708 kB` and `write_bytes: 0`, in bytes.
    private static func byteCounts(_ text: String) -> [Substring: Int] {
        var counts: [Substring: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count >= 2, words[0].hasSuffix(":"), let number = Int(words[1]) else {
                continue
            }
            counts[words[0].dropLast()] = words.last == "kB" ? number << 10 : number
        }
        return counts
    }
}

enum CPUTime {
    /// What this process and its ended children have used.
    static var seconds: Double {
        seconds(of: __rusage_who_t(RUSAGE_SELF.rawValue)) + seconds(of: RUSAGE_CHILDREN.rawValue)
    }

    static func usage(of who: __rusage_who_t) -> rusage {
        var usage = rusage()
        // SAFETY: the call writes the one structure that it is given.
        unsafe getrusage(who, &usage)
        return usage
    }

    static func seconds(of who: __rusage_who_t) -> Double {
        let usage = usage(of: who)
        return [usage.ru_utime, usage.ru_stime]
            .reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// How many ticks `/proc/stat` counts in a second.
    static var ticksPerSecond: Double { Double(sysconf(Int32(_SC_CLK_TCK))) }
}
