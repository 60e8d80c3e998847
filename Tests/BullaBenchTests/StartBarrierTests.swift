import BullaBenchKit
import BullaText
import Foundation
import Glibc
import Testing

@Suite struct `A start barrier` {
    @Test func `lets all threads of all mappings start at one instant, start after start`()
        async throws
    {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let path = scratch.file("start")
        let made = try StartBarrier(creating: path, count: 6)
        let opened = [try StartBarrier(opening: path), try StartBarrier(opening: path)]
        let starts = try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for thread in 0..<6 {
                let barrier = thread % 3 == 2 ? made : opened[thread % 3]
                group.addTask { try await TestThread.run { try Self.starts(5, barrier) } }
            }
            return try await group.reduce(into: [[UInt64]]()) { $0.append($1) }
        }
        #expect(Set(starts).count == 1, "all threads start at the same instants")
        #expect(starts[0].count == 5)
        #expect(zip(starts[0], starts[0].dropFirst()).allSatisfy(<))
    }

    @Test func `is one for several processes`() async throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let path = scratch.file("start")
        let barrier = try StartBarrier(creating: path, count: 3)
        async let here = TestThread.run { try barrier.arrive() }
        async let first: Void = Self.arriveElsewhere(path, scratch.file("a"))
        async let second: Void = Self.arriveElsewhere(path, scratch.file("b"))
        let (instant, _, _) = try await (here, first, second)
        for name in ["a", "b"] {
            let told = try String(contentsOfFile: scratch.file(name), encoding: .utf8)
            #expect(told == "\(instant)")
        }
    }

    @Test func `that is aborted throws in waiting threads, and in later ones`()
        async throws
    {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let path = scratch.file("start")
        let barrier = try StartBarrier(creating: path, count: 3)
        let opened = try StartBarrier(opening: path)
        async let one = Self.exit { try opened.arrive() }
        async let two = Self.exit { try opened.arrive() }
        // The process of the third participant dies; the process that notices this aborts the
        // barrier.
        await #expect(processExitsWith: .signal(SIGKILL)) { raise(SIGKILL) }
        barrier.abort()
        #expect(await [one, two] == [.worker, .worker])
        #expect(await Self.exit { try opened.arrive() } == .worker, "an abort is for good")
    }

    @Test func `is not made twice, nor opened where there is none`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let path = scratch.file("start")
        _ = try StartBarrier(creating: path, count: 1)
        #expect(throws: BenchError.self) { try StartBarrier(creating: path, count: 1) }
        #expect(throws: BenchError.self) { try StartBarrier(opening: scratch.file("other")) }
        try Descriptor.create(scratch.file("short")).write([1])
        try Descriptor.create(scratch.file("blank")).write([UInt8](repeating: 0, count: 4_096))
        for name in ["short", "blank"] {
            let error = #expect(throws: BenchError.self) {
                try StartBarrier(opening: scratch.file(name))
            }
            #expect(error?.message.hasSuffix("it is not one") == true)
        }
    }

    private static func starts(_ count: Int, _ barrier: StartBarrier) throws -> [UInt64] {
        try (0..<count).map { _ in
            let instant = try barrier.arrive()
            #expect(Clock.now >= instant, "nobody starts early")
            return instant
        }
    }

    /// Arrives in a process of its own, which writes the instant of the start to `output`.
    private static func arriveElsewhere(_ path: String, _ output: String) async {
        await #expect(processExitsWith: .success) { [path, output] in
            let instant = try StartBarrier(opening: path).arrive()
            try Descriptor.create(output).write(Array("\(instant)".utf8))
        }
    }

    /// The exit of the error that `body` throws; nil if it does not throw.
    private static func exit(
        _ body: @escaping @Sendable () throws -> UInt64
    ) async -> BenchExit? {
        do {
            _ = try await TestThread.run(body)
            return nil
        } catch {
            return (error as? BenchError)?.exit
        }
    }
}
