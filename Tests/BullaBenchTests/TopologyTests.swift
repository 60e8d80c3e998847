import BullaBenchKit
import Testing

@Suite struct `A topology` {
    @Test func `has the cores of each node, siblings together`() {
        let topology = MachineTopology.twoNodes
        #expect(topology.nodes.map(\.number) == [0, 1])
        #expect(topology.nodes[0].physicalCores == [[0, 8], [1, 9], [2, 10], [3, 11]])
        #expect(topology.nodes[1].cores == [4, 5, 6, 7, 12, 13, 14, 15])
        #expect(topology.nodes.map(\.memoryByteCount) == [1 << 20, 2 << 20])
        #expect(topology.nodes.map(\.freeMemoryByteCount) == [512 << 10, 256 << 10])
    }

    @Test func `has of each node only what this process may use`() {
        let topology = MachineTopology.machine(allowed: "1-2,9", memory: "1")
        #expect(topology.nodes[0].physicalCores == [[1, 9], [2]])
        #expect(topology.nodes[1].physicalCores.isEmpty)
        #expect(topology.nodes[1].onlineCores.count == 8)
        #expect(topology.memoryNodes == [1])
        let text = TopologyText.lines(topology)
        #expect(text.contains("This process may not use the cores 0,3-8,10-15."))
    }

    @Test func `names each cache once, with the cores that share it`() {
        let caches = MachineTopology.twoNodes.caches
        #expect(caches.map(\.cores) == [[0, 8], [4, 12]])
        #expect(caches.map(\.byteCount) == [32 << 10, 32 << 10])
        let text = TopologyText.lines(MachineTopology.twoNodes)
        #expect(text.contains("L1 Data  32 KiB             0,8 4,12"))
    }

    @Test func `of a kernel that knows of no nodes is one node with everything`() {
        let topology = Topology { path in
            switch path {
            case "/sys/devices/system/cpu/online": "0-2"
            case "/proc/self/status": "Cpus_allowed_list:\t1-2\n"
            case "/proc/meminfo": "MemTotal:  4096 kB\nMemFree:  1024 kB\n"
            default: nil
            }
        }
        #expect(topology.nodes.count == 1)
        #expect(topology.nodes[0].physicalCores == [[1], [2]])
        #expect(topology.nodes[0].memoryByteCount == 4 << 20)
        #expect(topology.memoryNodes == [0])
    }

    @Test func `of this machine is told without failing`() throws {
        let topology = Topology.current()
        #expect(topology.cores.count == Machine(directory: "/").coreCount)
        #expect(topology.nodes.contains { $0.memoryByteCount > 0 })
        #expect(!TopologyText.lines(topology).isEmpty)
    }

    @Test func `is the same after it was written as JSON and read again`() throws {
        let output = try BenchProgram.run(["topology", "--json"], status: .met)
        let topology = try BenchProgram.decoded(Topology.self, output)
        #expect(topology.onlineCores == Topology.current().onlineCores)
        #expect(topology.caches == Topology.current().caches)
        #expect(try BenchProgram.run(["topology"], status: .met).hasPrefix("node"))
    }
}
