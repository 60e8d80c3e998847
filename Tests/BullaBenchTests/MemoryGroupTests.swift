import BullaBenchKit
import BullaText
import Foundation
import Testing

@Suite struct `A place for a control group` {
    private static let mounts = """
        31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
        34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:3 - cgroup cgroup rw,memory
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
        """
    private static let second = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"

    @Test func `of the first version is this process's own group`() throws {
        let place = try Self.place("4:memory:/jobs/7\n3:cpuset:/\n0::/\n", Self.mounts)
        #expect(place == .init(version: .one, parent: "/sys/fs/cgroup/memory/jobs/7"))
        let top = try Self.place("4:memory:/\n0::/\n", Self.mounts)
        #expect(top.parent == "/sys/fs/cgroup/memory")
    }

    @Test func `in a container is what is mounted of the tree`() throws {
        let mounts = "35 31 0:32 /box/9 /groups ro - cgroup cgroup rw,memory\n"
        #expect(try Self.place("4:memory:/box/9\n", mounts).parent == "/groups")
        #expect(try Self.place("4:memory:/box/9/a\n", mounts).parent == "/groups/a")
        #expect(throws: BenchError.self) { try Self.place("4:memory:/box/99\n", mounts) }
    }

    @Test func `of the second version is the nearest group that hands memory down`() throws {
        let files = [
            "/sys/fs/cgroup/user/me/cgroup.subtree_control": "",
            "/sys/fs/cgroup/user/cgroup.subtree_control": "cpu memory pids\n",
        ]
        let place = try Self.place("0::/user/me\n", Self.second, files)
        #expect(place == .init(version: .two, parent: "/sys/fs/cgroup/user"))
    }

    @Test(arguments: ["memory.max", "memory.high"])
    func `is never outside a limit that was set`(limit: String) {
        let files = [
            "/sys/fs/cgroup/user/me/\(limit)": "1073741824\n",
            "/sys/fs/cgroup/user/cgroup.subtree_control": "memory\n",
        ]
        let error = #expect(throws: BenchError.self) {
            try Self.place("0::/user/me\n", Self.second, files)
        }
        #expect(error?.exit == .system)
        #expect(error?.message.contains("/user/me has a memory limit") == true)
    }

    @Test(arguments: [("0::/a/b\n", second), ("", second), ("0::/\n", ""), ("4:memory:/\n", "")])
    func `is not there where the machine has none`(groups: String, mounts: String) {
        let error = #expect(throws: BenchError.self) { try Self.place(groups, mounts) }
        #expect(error?.exit == .system)
    }

    private static func place(
        _ groups: String, _ mounts: String, _ files: [String: String] = [:]
    ) throws -> MemoryGroupPlace {
        try MemoryGroupPlace(groups: groups, mounts: mounts) { files[$0] }
    }
}

@Suite struct `A memory group` {
    /// Uses a plain folder, whose files keep what is written to them, as the kernel's files do.
    @Test(arguments: [
        (MemoryGroupPlace.Version.one, "memory.limit_in_bytes"), (.two, "memory.max"),
    ])
    func `writes its limit and its processes where the kernel reads them`(
        version: MemoryGroupPlace.Version, limit: String
    ) throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let place = MemoryGroupPlace(version: version, parent: scratch.path)
        let group = try MemoryGroup(byteLimit: 1 << 26, at: place)
        #expect(Self.text(group.path + "/" + limit) == "67108864")
        try group.add(process: 4_711)
        #expect(Self.text(group.path + "/cgroup.procs") == "4711")
        #expect(throws: BenchError.self, "somebody is still in it") { try group.remove() }
        for name in [limit, "cgroup.procs"] {
            try FileManager.default.removeItem(atPath: group.path + "/" + name)
        }
        try group.remove()
        #expect(!FileManager.default.fileExists(atPath: group.path))
        try group.remove()
    }

    @Test func `of a run that was killed is removed by the next one, and no other`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        // No process has so high a number; process 1 always exists.
        let names = ["bulla-bench-2147483647-1", "bulla-bench-1-1", "another-2147483647-1"]
        for name in names {
            try FileManager.default.createDirectory(
                atPath: scratch.file(name), withIntermediateDirectories: false)
        }
        let place = MemoryGroupPlace(version: .two, parent: scratch.path)
        let group = try MemoryGroup(byteLimit: 1 << 26, at: place)
        let left = names.filter { FileManager.default.fileExists(atPath: scratch.file($0)) }
        #expect(left == ["bulla-bench-1-1", "another-2147483647-1"])
        for name in left { try FileManager.default.removeItem(atPath: scratch.file(name)) }
        try FileManager.default.removeItem(atPath: group.path)
    }

    /// This test changes the machine outside a temporary folder, so it runs only on request.
    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["BULLA_CONTROL_GROUPS"] == "1",
            "set BULLA_CONTROL_GROUPS=1 to make a control group of this machine"),
        .enabled(
            if: MemoryGroup.reasonUnavailable() == nil, "this machine lets no control group be made"
        ))
    func `holds a process to its limit, and is gone afterwards`() throws {
        let group = try MemoryGroup(byteLimit: 32 << 20)
        let input = try Descriptor.pipe()
        let output = try Descriptor.pipe()
        // The script waits for a line, or for this process to end; then it takes all its memory at
        // once.
        let script = "read line; head -c 256M /dev/zero | tail -c 256M | wc -c"
        let child = try Child(
            "sh", ["-c", script], input: input.reading, output: output.writing)
        try group.add(process: child.process)
        try input.writing.write(Array("go\n".utf8))
        _ = child.wait()
        #expect(try Descriptor.firstReadable([output.reading], seconds: 60) == 0)
        let told = String(decoding: try output.reading.read(upTo: 100), as: UTF8.self)
        #expect(Int(told.split(separator: "\n").first ?? "") == 0, "tail cannot hold 256 MiB")
        #expect(try group.byteCount() <= 32 << 20)
        try group.remove()
        #expect(!FileManager.default.fileExists(atPath: group.path))
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
