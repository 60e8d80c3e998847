import Bulla
import Foundation
import Glibc
import Testing

/// `stat --live`, while the test itself has the store open.
@Suite struct `A live view` {
    private static let names: Set = [
        "time", "commit", "durableCommit", "checkpointCommit", "commitsPerSecond",
        "flushesPerSecond", "flushWaitsPerSecond", "checkpointsPerSecond", "secondsSinceCheckpoint",
        "fileByteCount", "pageCount", "livePageCount", "freePageCount", "pendingPageCount",
        "logByteCount", "logByteLimit", "logUnmergedByteCount", "snapshotCount",
        "oldestSnapshotCommit", "oldestSnapshotLag", "writerProcess", "isPoisoned", "sharing",
        "availableByteCount", "fileByteLimit",
    ]

    private let scratch: Scratch
    private let store: Store

    init() throws {
        scratch = try Scratch()
        try scratch.makePlain("s")
        store = try Store.open(at: scratch.path("s").path)
    }

    private func put(_ key: String) throws {
        try store.write { try $0.put("v", forKey: key, in: $0.tree(named: "pets")) }
    }

    /// The samples that a run writes as JSON.
    private func samples(_ arguments: String...) throws -> [[String: Any]] {
        let run = try scratch.bulla(["stat", "s", "--live", "--json"] + arguments)
        #expect(run.status == Status.success, "\(run.errors)")
        return try run.lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }

    @Test func `writes one object a sample, each with all names`() throws {
        let samples = try samples("--count", "3", "--every", "1ms")
        #expect(samples.count == 3)
        for sample in samples { #expect(Set(sample.keys) == Self.names) }
        // The first sample has no earlier one to be compared with.
        #expect(samples[0]["commitsPerSecond"] is NSNull)
        for sample in samples[1...] {
            #expect(sample["commitsPerSecond"] as? Double == 0)
            #expect(sample["writerProcess"] is NSNull)
            #expect(sample["isPoisoned"] as? Bool == false)
            #expect(sample["sharing"] as? String == "everybody")
        }
    }

    @Test func `tells what another process has open, and does`() throws {
        try put("a")
        let snapshot = try store.makeSnapshot()
        let oldest = try #require(try store.info.oldestSnapshotCommit)
        while try store.checkpoint() {}
        try store.write { _ in
            let sample = try #require(try samples("--count", "1").first)
            let info = try store.info
            #expect(sample["commit"] as? UInt64 == info.commit)
            #expect(sample["writerProcess"] as? Int == Int(getpid()))
            #expect(sample["snapshotCount"] as? Int == info.snapshotCount)
            #expect(sample["oldestSnapshotCommit"] as? UInt64 == oldest)
            #expect(sample["oldestSnapshotLag"] as? UInt64 == info.checkpointCommit - oldest)
        }
        _ = consume snapshot
    }

    @Test func `writes one line a sample to a pipe, and leaves the store as it is`() throws {
        try put("a")
        // Background work of the test's own handle would change the file.
        try store.close()
        let digest = try scratch.digest("s")
        let run = try scratch.bulla("stat", "s", "--live", "--count", "2", "--every", "1ms")
        #expect(run.status == Status.success, "\(run.errors)")
        #expect(run.lines.count == 2)
        #expect(run.lines.allSatisfy { $0.contains(" commit 3; durable 3; ") }, "\(run.text)")
        #expect(!run.text.contains("\u{1B}"))
        #expect(try scratch.digest("s") == digest)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `is rewritten on a terminal, until a signal that it dies of`(signal: Int32) throws {
        let run = try TypedRun(scratch, ["stat", "s", "--live", "--every", "20ms"])
        try run.until("commit     2, durable 2\r\n")
        for number in 3...5 {
            try put("\(number)")
            try run.until("A\r\u{1B}[J")
            try run.until("commit     \(number), durable \(number)\r\n")
        }
        run.send(signal)
        try run.until("interrupted by signal \(signal)")
        #expect(try run.endingSignal() == signal)
    }

    @Test func `is cut at the width of a narrow terminal, so that it can go back`() throws {
        let run = try TypedRun(
            scratch, ["stat", "s", "--live", "--count", "1"], columns: 20)
        #expect(try run.until("\r\n").count == 19)
        #expect(try run.end() == Status.success)
    }

    @Test(arguments: [
        ["stat", "s", "pets", "--live"], ["stat", "s", "--every", "1s"],
        ["stat", "s", "--count", "1"], ["stat", "s", "--live", "--count", "0"],
        ["stat", "s", "--live", "--every", "0s"], ["stat", "s", "--live", "--every", "soon"],
    ])
    func `that is asked for wrongly ends with status 64`(arguments: [String]) throws {
        #expect(try scratch.bulla(arguments).status == Status.usage)
    }
}
