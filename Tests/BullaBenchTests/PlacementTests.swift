import BullaBenchKit
import Foundation
import Testing

@Suite struct `A placement` {
    @Test(arguments: [
        ("spread", CoreChoice.spread), ("pack", .pack), ("node:1", .node(1)),
        ("cores:3,0-1", .cores([3, 0, 1])),
    ])
    func `is read from what people write, and written so`(text: String, choice: CoreChoice) throws {
        let placement = try Placement(place: text, memory: nil)
        #expect(placement.cores?.rawValue == text)
        #expect(placement.cores == choice)
        let json = try JSONEncoder().encode(placement)
        #expect(try JSONDecoder().decode(Placement.self, from: json) == placement)
    }

    @Test(arguments: [
        "", "near", "spread:1", "node", "node:", "node:-1", "node:x", "cores:", "cores:1,x",
        "pack:",
    ])
    func `that is unknown is refused with what was expected`(text: String) {
        let error = #expect(throws: BenchError.self) {
            try Placement(place: text, memory: nil)
        }
        #expect(error?.exit == .usage)
        #expect(error?.message.contains("expected spread, pack") == true)
    }

    @Test(arguments: ["", "near", "node:", "node:1-2", "local:0"])
    func `of unknown memory is refused`(text: String) {
        let error = #expect(throws: BenchError.self) {
            try Placement(place: nil, memory: text)
        }
        #expect(error?.exit == .usage)
    }

    @Test(arguments: [
        ("spread", [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]),
        ("pack", [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]),
        ("cores:9,2,4-5", [9, 2, 4, 5]),
    ])
    func `gives each thread its core, in the order of its rule`(text: String, order: [Int]) throws {
        let plan = try Self.plan(text, workers: 2, threads: order.count / 2)
        #expect(plan.map(\.count) == [order.count / 2, order.count / 2])
        #expect(plan.flatMap { $0 }.map(\.cores) == order.map { [$0] })
    }

    @Test func `leaves out what the process may not use`() throws {
        let topology = MachineTopology.machine(allowed: "2,9,11,13", memory: "0-1")
        let spread = try Self.plan("spread", workers: 1, threads: 4, on: topology)
        #expect(spread[0].map(\.cores) == [[2], [13], [9], [11]])
    }

    @Test func `on a node gives each thread all of its cores`() throws {
        let plan = try Self.plan("node:1", workers: 3, threads: 2)
        #expect(
            plan.flatMap { $0 }.allSatisfy {
                $0.cores == [4, 5, 6, 7, 12, 13, 14, 15]
            })
    }

    @Test func `with more threads than cores begins again`() throws {
        let plan = try Self.plan("cores:3,1", workers: 1, threads: 5)
        #expect(plan[0].map(\.cores) == [[3], [1], [3], [1], [3]])
    }

    @Test(arguments: [
        ("node:2", "--place node:2: the machine has no node 2, but 0-1"),
        ("node:1", "--place node:1: this process may not use the cores of node 1"),
        ("cores:16", "--place cores:16: the machine has no core 16, but 0-15"),
        ("cores:0,4", "--place cores:0,4: this process may not use core 4, but 0-3"),
    ])
    func `that is impossible is refused with the reason`(text: String, message: String) {
        let topology = MachineTopology.machine(allowed: "0-3", memory: "0")
        let error = #expect(throws: BenchError.self) {
            try Self.plan(text, workers: 1, threads: 1, on: topology)
        }
        #expect(error?.exit == .usage)
        #expect(error?.message == message)
    }

    @Test(arguments: [
        ("node:2", "--memory node:2: the machine has no node 2, but 0-1"),
        ("node:1", "--memory node:1: this process may not use the memory of node 1"),
    ])
    func `of memory that is impossible is refused with the reason`(text: String, message: String) {
        let topology = MachineTopology.machine(allowed: "0-3", memory: "0")
        let error = #expect(throws: BenchError.self) {
            try Placement(place: nil, memory: text).plan(workers: 1, threads: 1, on: topology)
        }
        #expect(error?.exit == .usage)
        #expect(error?.message == message)
    }

    @Test(arguments: [("local", []), ("interleave", [0, 1]), ("node:1", [1])])
    func `of memory names the nodes`(text: String, nodes: [Int]) throws {
        let plan = try Placement(place: nil, memory: text).plan(
            workers: 1, threads: 2, on: MachineTopology.twoNodes)
        #expect(plan[0].allSatisfy { $0.memoryNodes == nodes && $0.cores.isEmpty })
    }

    private static func plan(
        _ text: String, workers: Int, threads: Int, on topology: Topology = MachineTopology.twoNodes
    ) throws -> [[ThreadPlacement]] {
        try Placement(place: text, memory: nil).plan(
            workers: workers, threads: threads, on: topology)
    }
}

/// Uses this machine, whatever it is; each test has a thread of its own, because a placement lasts.
@Suite struct `A thread` {
    @Test func `that is placed on a core is there, and no other thread is`() async throws {
        let all = try ObtainedPlacement.current()
        let core = try #require(Topology.current().cores.last)
        let obtained = try await TestThread.run { try ThreadPlacement(cores: [core]).apply() }
        #expect(obtained.cores == [core])
        #expect(try ObtainedPlacement.current().cores == all.cores)
    }

    @Test func `that is not placed is left where it is`() async throws {
        let cores = Topology.current().cores
        let plan = try Placement().plan(workers: 1, threads: 1, on: Topology.current())
        let place = plan[0][0]
        #expect(place.cores.isEmpty)
        #expect(try await TestThread.run { try place.apply() }.cores == cores)
    }

    @Test func `that is placed where there is no core is an error`() async {
        let error = await #expect(throws: BenchError.self) {
            try await TestThread.run { try ThreadPlacement(cores: [8_191]).apply() }
        }
        #expect(error?.exit == .system)
    }

    @Test(arguments: ["local", "interleave", "node"])
    func `gets the memory that it asked for`(name: String) async throws {
        let topology = Topology.current()
        let node = try #require(topology.memoryNodes.first)
        let text = name == "node" ? "node:\(node)" : name
        let plan = try Placement(place: nil, memory: text).plan(
            workers: 1, threads: 1, on: topology)
        let place = plan[0][0]
        let obtained = try await TestThread.run { try place.apply() }
        // A kernel without memory nodes leaves nothing to choose.
        guard obtained.memory != .unknown else { return }
        #expect(obtained.memoryNodes == place.memoryNodes)
        let expected: [String: ObtainedPlacement.Memory] = [
            "local": .local, "interleave": .interleaved, "node": .bound,
        ]
        #expect(obtained.memory == expected[name])
    }

    @Test func `says where it is in words`() {
        let bound = ObtainedPlacement(cores: [3], memory: .bound, memoryNodes: [0])
        #expect("\(bound)" == "core 3, memory bound to node 0")
        let free = ObtainedPlacement(cores: [0, 1], memory: .system, memoryNodes: [])
        #expect("\(free)" == "cores 0-1, memory default")
    }
}
