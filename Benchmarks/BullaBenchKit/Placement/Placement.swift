/// Where a run's threads are wanted, and their memory; nil is wherever the system likes.
package struct Placement: Codable, Equatable, Sendable {
    package var cores: CoreChoice?
    package var memory: MemoryChoice?

    package init(cores: CoreChoice? = nil, memory: MemoryChoice? = nil) {
        self.cores = cores
        self.memory = memory
    }

    /// What the options `--place` and `--memory` say.
    ///
    /// - Throws: ``BenchExit/usage`` where one of them says nothing that is known.
    package init(place: String?, memory: String?) throws {
        self.init(
            cores: try place.map { text in
                guard let choice = CoreChoice(rawValue: text) else {
                    throw BenchError(
                        .usage, "--place is '\(text)', expected \(CoreChoice.expected)")
                }
                return choice
            },
            memory: try memory.map { text in
                guard let choice = MemoryChoice(rawValue: text) else {
                    throw BenchError(
                        .usage, "--memory is '\(text)', expected \(MemoryChoice.expected)")
                }
                return choice
            })
    }

    /// `none`, or as the options say it.
    package var description: String {
        let parts = [cores?.rawValue, memory.map { "memory \($0.rawValue)" }].compactMap { $0 }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    /// Gives every thread of every worker its place.
    ///
    /// Threads are counted through all workers: the first worker's first.
    ///
    /// - Throws: ``BenchExit/usage`` where the machine has no such place, or this process may not
    ///   use it.
    package func plan(
        workers: Int, threads: Int, on topology: Topology
    ) throws -> PlacementPlan {
        precondition(workers > 0 && threads > 0, "a run has threads")
        let count = workers * threads
        let cores = try cores?.cores(threadCount: count, on: topology)
        let nodes = try memory?.nodes(on: topology) ?? []
        let places = (0..<count).map { thread in
            ThreadPlacement(cores: cores?[thread] ?? [], memory: memory, memoryNodes: nodes)
        }
        return PlacementPlan(
            workers: (0..<workers).map { Array(places[$0 * threads..<($0 + 1) * threads]) })
    }
}
