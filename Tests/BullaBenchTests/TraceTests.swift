import BullaBenchKit
import BullaText
import Testing

@Suite struct `A trace` {
    @Test func `is refused with the number of the line that is wrong`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let path = scratch.file("trace")
        try Descriptor.create(path).write(Array("\(TraceFile.heading)\n\nread a\nnonsense\n".utf8))
        let error = #expect(throws: BenchError.self) {
            try TraceFile.lines(of: Descriptor.open(path))
        }
        #expect(error?.message == "read \(path): line 4 is no operation")
    }

    @Test func `is recorded from a workload`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let path = scratch.file("trace")
        try TraceRecorder(.small(100, 10), seed: 1).record(
            [.ycsbE, .ycsbF], operationCount: 200, to: path)
        let lines = try TraceFile.lines(of: Descriptor.open(path))
        #expect(lines.contains { $0.verb == .scan && (1...100).contains($0.number) })
        #expect(lines.contains { $0.verb == .put && $0.number == 10 })
        #expect(lines.count { $0.verb == .read } > 150, "half of F reads, the rest reads first")
    }

    @Test func `is divided among lanes and shards, each key to one of them`() throws {
        for number in 0..<1_000 {
            let key = Array("user\(number)".utf8)
            let lane = Shard.whole.lane(key, of: 8)
            let owners = (0..<8).filter { Shard(index: $0, count: 8).owns(key) }
            #expect(owners == [lane], "eight lanes divide as eight shards do")
        }
    }
}
