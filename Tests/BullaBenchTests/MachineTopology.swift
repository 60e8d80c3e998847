import BullaBenchKit

/// Made-up machines.
enum MachineTopology {
    /// Two nodes of four pairs of siblings, `n` and `n + 8`: 0-3,8-11 and 4-7,12-15.
    static let twoNodes = machine(allowed: "0-15", memory: "0-1")

    /// A machine, read from the text that its sysfs and proc(5) would contain.
    static func machine(allowed: String, memory: String) -> Topology {
        Topology { path in
            if let text = files[path] { return text + "\n" }
            if path == "/proc/self/status" {
                return "Name:\tx\nCpus_allowed_list:\t\(allowed)\nMems_allowed_list:\t\(memory)\n"
            }
            guard path.hasSuffix("/topology/thread_siblings_list"),
                let core = Int(path.split(separator: "/")[4].dropFirst("cpu".count))
            else { return nil }
            return "\(core % 8),\(core % 8 + 8)\n"
        }
    }

    private static let files = [
        "/sys/devices/system/cpu/online": "0-15",
        "/sys/devices/system/node/online": "0-1",
        "/sys/devices/system/node/node0/cpulist": "0-3,8-11",
        "/sys/devices/system/node/node1/cpulist": "4-7,12-15",
        "/sys/devices/system/node/node0/meminfo":
            "\nNode 0 MemTotal:        1024 kB\nNode 0 MemFree:         512 kB",
        "/sys/devices/system/node/node1/meminfo":
            "\nNode 1 MemTotal:        2048 kB\nNode 1 MemFree:         256 kB",
        "/sys/devices/system/cpu/cpu0/cache/index0/level": "1",
        "/sys/devices/system/cpu/cpu0/cache/index0/type": "Data",
        "/sys/devices/system/cpu/cpu0/cache/index0/size": "32K",
        "/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list": "0,8",
        "/sys/devices/system/cpu/cpu8/cache/index0/level": "1",
        "/sys/devices/system/cpu/cpu8/cache/index0/type": "Data",
        "/sys/devices/system/cpu/cpu8/cache/index0/size": "32K",
        "/sys/devices/system/cpu/cpu8/cache/index0/shared_cpu_list": "0,8",
        "/sys/devices/system/cpu/cpu4/cache/index0/level": "1",
        "/sys/devices/system/cpu/cpu4/cache/index0/type": "Data",
        "/sys/devices/system/cpu/cpu4/cache/index0/size": "32K",
        "/sys/devices/system/cpu/cpu4/cache/index0/shared_cpu_list": "4,12",
    ]
}
