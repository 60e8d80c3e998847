import BullaBenchKit
import Foundation
import Glibc
import Testing

/// Ends the built program in the middle of a run.
@Suite struct `A run of bulla-bench` {
    private let scratch: Scratch
    private var json: String { scratch.file("result.json") }

    init() throws {
        scratch = try Scratch(under: "/tmp", isKept: false)
    }

    @Test func `one of whose workers is killed says which, and keeps what was finished`() throws {
        let run = try BenchRun(endless + ["--json", json])
        try run.wait(for: "pass 1 done")
        let worker = try run.killWorker()
        try run.expectEnd(.worker)
        let words = "(process \(worker)) was killed by signal 9 (Killed)"
        #expect(run.text.contains("PARTIAL: the run ended early: worker 1 of 1 on the "))
        let result = try BenchProgram.result(json)
        #expect(result.failure?.contains(words) == true, "\(run.text)")
        #expect(result.rows.map(\.workload) == ["load", "point-read"])
        #expect(result.rows.allSatisfy { $0.roundCount >= 1 })
        #expect(result.rows.flatMap(\.figures).allSatisfy { $0.work > 0 })
    }

    @Test func `one of whose workers is killed at the very beginning has no result`() throws {
        let words = ["--workers", "2", "--threads", "2", "--workloads", "point-read"]
        let run = try BenchRun(endless + words + ["--operations", "4000000", "--json", json])
        let worker = try run.killWorker()
        try run.expectEnd(.worker)
        #expect(run.text.contains("of 2 on the "), "\(run.text)")
        #expect(run.text.contains("(process \(worker)) was killed by signal 9"), "\(run.text)")
        #expect(!FileManager.default.fileExists(atPath: json))
    }

    @Test func `one of whose workers dies at a start does not wait for it`() throws {
        let programs = scratch.file("programs")
        try Folder.make(programs)
        try PeerScript.dyingAtThirdStart.write(to: programs + "/bulla-peer-lmdb")
        let words = ["--only", "lmdb", "--programs", programs, "--workers", "2", "--threads", "2"]
        let run = try BenchRun(["peers"] + endless.dropFirst() + words + ["--json", json])
        try run.expectEnd(.worker)
        #expect(run.text.contains("worker 1 of 2 on the lmdb store"), "\(run.text)")
        #expect(run.text.contains("was killed by signal 9 (Killed)"))
        let result = try BenchProgram.result(json)
        #expect(result.rows.map(\.workload) == ["load"], "the round of reading was not finished")
        #expect(result.failure != nil)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `that is interrupted keeps what was finished, and says that it is partial`(
        signal: Int32
    ) throws {
        let run = try BenchRun(endless + ["--workers", "2", "--json", json])
        try run.wait(for: "pass 1 done")
        run.signal(signal)
        try run.expectEnd(.interrupted)
        #expect(run.text.contains("PARTIAL: the run ended early: interrupted"), "\(run.text)")
        let result = try BenchProgram.result(json)
        #expect(result.failure == "interrupted")
        #expect(result.rows.map(\.workload) == ["load", "point-read"])
    }

    @Test func `that is interrupted twice ends at once`() throws {
        // Making so many records takes long; only the first signal waits until they are made.
        let run = try BenchRun([
            "overhead", "--records", "8000000", "--fields", "1", "--field-bytes", "1",
        ])
        try run.wait(for: "making 8000000 records")
        try run.signalTaken(SIGINT)
        run.signal(SIGINT)
        try run.expectEnd(.interrupted)
        #expect(!run.text.contains("bulla-bench: interrupted"), "it unwound, as after one signal")
    }

    /// The arguments of a run that only a test's own action ends.
    private let endless = [
        "overhead", "--records", "2000", "--fields", "1", "--workloads", "load,point-read",
        "--operations", "100", "--rounds", "100000", "--time", "100000",
    ]
}
