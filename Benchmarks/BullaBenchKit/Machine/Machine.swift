/// What a run ran on: figures without it mean nothing.
package struct Machine: Codable, Sendable {
    package var processor: String
    package var isVirtual: Bool
    /// Cores that this process may use.
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
    /// When the run started, UTC.
    package var time: String
    /// What asking for the time costs, in nanoseconds: each step of each side is charged with it
    /// once.
    package var clockNanoseconds: Double

    /// This machine, with the file system that holds `directory`.
    package init(directory: String) {
        processor =
            SystemText.field("model name", in: "/proc/cpuinfo")
            ?? SystemText.field("CPU part", in: "/proc/cpuinfo") ?? "unknown"
        isVirtual = (SystemText.field("flags", in: "/proc/cpuinfo") ?? "").contains(" hypervisor")
        coreCount = Self.listCount(
            SystemText.field("Cpus_allowed_list", in: "/proc/self/status") ?? "0")
        numaNodeCount = Self.listCount(
            SystemText.word("/sys/devices/system/node/online") ?? "0")
        memoryByteCount = Self.memory()
        caches = Self.cacheList()
        system = Self.systemName()
        kernel = SystemText.word("/proc/sys/kernel/osrelease") ?? "unknown"
        openSSL = CryptoLibrary.version ?? "unknown"
        fileSystem = FileSystem(holding: directory)
        loadAverages = Self.loads()
        time = Clock.timestamp
        clockNanoseconds = Clock.cost()
    }

    /// How many numbers a list such as `0-3,8` names.
    package static func listCount(_ list: String) -> Int {
        list.split(separator: ",").reduce(0) { count, part in
            let ends = part.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, last >= first else { return count }
            return count + last - first + 1
        }
    }

    private static func memory() -> Int {
        let field = SystemText.field("MemTotal", in: "/proc/meminfo") ?? ""
        return (field.split(separator: " ").first.flatMap { Int($0) } ?? 0) << 10
    }

    private static func cacheList() -> [String] {
        (0..<8).compactMap { index in
            let folder = "/sys/devices/system/cpu/cpu0/cache/index\(index)/"
            guard let level = SystemText.word(folder + "level"),
                let kind = SystemText.word(folder + "type"),
                let size = SystemText.word(folder + "size")
            else { return nil }
            return "L\(level) \(kind) \(size)"
        }
    }

    private static func systemName() -> String {
        for line in SystemText.lines("/etc/os-release") where line.hasPrefix("PRETTY_NAME=") {
            return line.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" }
        }
        return "Linux"
    }

    private static func loads() -> [Double] {
        let words = SystemText.word("/proc/loadavg")?.split(separator: " ") ?? []
        return words.prefix(3).compactMap { Double($0) }
    }
}
