import BullaBenchKit
import Foundation
import Testing

@Suite struct `Commits of many writers` {
    @Test(arguments: [true, false])
    func `are counted for each contender in each shape`(isEncrypted: Bool) throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        let output = try BenchProgram.run(
            [
                "commits", "--processes", "2", "--threads", "4", "--rounds", "1", "--seconds",
                "0.05", "--directory", scratch.path, "--json", json,
            ] + (isEncrypted ? [] : ["--plain"]), status: .met)
        #expect(output.contains("the store \(isEncrypted ? "encrypted" : "plain")"))
        let result = try JSONDecoder().decode(
            CommitResult.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(result.isEncrypted == isEncrypted)
        let bare = [0, 40, 80, 120].map { CommitContender.bare(holdMicroseconds: $0) }
        let shapes = [(1, 1), (2, 1), (2, 2)].map {
            CommitShape(processCount: $0.0, threadCount: $0.1)
        }
        for contender in [.write, .groupWrite] + bare {
            for shape in shapes {
                let row = result.rows.first { $0.contender == contender && $0.shape == shape }
                let sample = try #require(row?.samples.first, "\(contender) \(shape)")
                #expect(sample.flushesPerCommit > 0)
                // Without a store, a flush covers at least the commit that asked for it. A store
                // makes more flushes, for space that it reserves before writing.
                if bare.contains(contender) { #expect(sample.flushesPerCommit <= 1) }
            }
            let alone = result.rows.first { $0.contender == contender && $0.shape == .one }
            if bare.contains(contender) { #expect(alone?.samples.first?.flushesPerCommit == 1) }
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(Set(left) == ["owner", "result.json"])
    }

    @Test func `are counted in the shapes that were asked for, relaxed too`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        let output = try BenchProgram.run(
            [
                "commits", "--shapes", "1x2,1x1,2x1", "--relaxed", "--rounds", "1", "--seconds",
                "0.05", "--directory", scratch.path, "--json", json,
            ], status: .met)
        #expect(output.contains("relaxed commits, the store encrypted"))
        let result = try JSONDecoder().decode(
            CommitResult.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(result.durability == .relaxed)
        for contender in [CommitContender.write, .groupWrite] {
            let shapes = result.rows.filter { $0.contender == contender }.map(\.shape.description)
            #expect(shapes == ["1 x 1", "1 x 2", "2 x 1"])
        }
        #expect(result.rows.count == 6)
    }

    @Test func `are compared where one writer made any`() throws {
        let rates = { (values: [Int]) in
            values.map { "{\"perSecond\":\($0),\"flushesPerCommit\":1}" }.joined(separator: ",")
        }
        let row = { (processes: Int, values: [Int]) in
            """
            {"contender":{"write":{}},"shape":{"processCount":\(processes),"threadCount":1},\
            "samples":[\(rates(values))]}
            """
        }
        let result = { (one: [Int], two: [Int]) in
            let rows = "[\(row(1, one)),\(row(2, two))]"
            return try JSONDecoder().decode(
                CommitResult.self, from: Data("{\"isEncrypted\":true,\"rows\":\(rows)}".utf8))
        }
        let some = try result([100, 0, 50], [150, 70, 100])
        #expect(some.ratios(some.rows[1]) == [1.5, 2])
        let none = try result([0], [10])
        #expect(none.ratios(none.rows[1]) == [])
        #expect(none.lines.joined().contains("nan") == false)
    }

    @Test func `end with an error where a process dies`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let program = scratch.file("program")
        try PeerScript.deaf.write(to: program)
        var run = CommitRun(program: program, directory: scratch.path)
        run.contenders = [.bare(holdMicroseconds: 0)]
        let error = #expect(throws: BenchError.self) { try run.result { _ in } }
        #expect(error?.exit == .worker)
        #expect(error?.message.contains("process 1 of 1") == true)
        #expect(error?.message.contains("ended with status 7") == true)
    }

    @Test func `are refused where the options make no sense`() throws {
        let options = [
            ["--threads", "6"], ["--processes", "0"], ["--seconds", "0"], ["--shapes", "4"],
            ["--shapes", "0x4"], ["--shapes", "2x2,2x2"],
        ]
        for options in options {
            _ = try BenchProgram.run(["commits"] + options, status: .usage)
        }
    }
}
