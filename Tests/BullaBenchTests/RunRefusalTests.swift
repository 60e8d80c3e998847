import BullaBenchKit
import BullaText
import Foundation
import Testing

/// Asks the built program for impossible measurements.
@Suite struct `What cannot be measured` {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch(under: "/tmp", isKept: false)
    }

    @Test(arguments: [
        ("none.csv", nil, BenchExit.system, "none.csv: No such file"),
        ("folder", nil, .system, "folder: Is a directory"),
        ("empty", nil, .input, "it is neither a Debian package index nor .csv nor .jsonl"),
        ("empty.csv", nil, .input, "it has no records"),
        ("empty.jsonl", nil, .input, "it has no records"),
        ("a.csv", "number", .input, "line 1: the header has no column number"),
        ("a.jsonl", "number", .input, "line 1: the object has no member number"),
        ("noise", nil, .input, "it is neither a Debian package index nor .csv nor .jsonl"),
        ("noise.csv", nil, .input, "line 1: a name in the header is not UTF-8"),
        ("noise.jsonl", nil, .input, "line 1: not UTF-8"),
        ("noise.csv.gz", nil, .input, "gzip ended with status 1"),
    ])
    func `as an input is told before the work begins`(
        name: String, keyField: String?, exit: BenchExit, message: String
    ) throws {
        try Folder.make(scratch.file("folder"))
        try write("a.csv", Array("id,text\n1,one\n".utf8))
        try write("a.jsonl", Array("{\"id\":1}\n".utf8))
        for name in ["empty", "empty.csv", "empty.jsonl"] { try write(name, []) }
        let noise: [UInt8] = [0xFF, 0xFE, 0, 0x80, 10, 0xC0, 44, 1, 10]
        for name in ["noise", "noise.csv", "noise.jsonl", "noise.csv.gz"] { try write(name, noise) }
        let field = keyField.map { ["--key-field", $0] } ?? []
        let run = try BenchRun(small + ["--input", scratch.file(name)] + field)
        try run.expectEnd(exit)
        #expect(run.text.contains(message), "\(run.text)")
        #expect(!run.text.contains("making"), "\(run.text)")
    }

    @Test func `as an input, bytes that are no text can be`() throws {
        var rows = Array("id,data\n".utf8)
        for row in 0..<8 { rows += Array("\(row),".utf8) + [0xFF, 0x80, 10] }
        try write("a.csv", rows)
        let run = try BenchRun(small + ["--input", scratch.file("a.csv")])
        try run.expectEnd(.undecided)
        #expect(run.text.contains("input: a.csv: 8 records"), "\(run.text)")
    }

    @Test(arguments: [
        ("none", BenchExit.system, "none: No such file"),
        ("noise", .input, "its first line is not \"# bulla-bench trace 1\""),
    ])
    func `as a trace is told before the work begins`(
        name: String, exit: BenchExit, message: String
    ) throws {
        try write("noise", [0xFF, 10])
        let run = try BenchRun(
            small + ["--workloads", "replay", "--trace", scratch.file(name)])
        try run.expectEnd(exit)
        #expect(run.text.contains(message), "\(run.text)")
        #expect(!run.text.contains("making"), "\(run.text)")
    }

    @Test(arguments: ["--json", "--html"], ["", "none/result", "file/result"])
    func `because a result could not be written is told before the work begins`(
        option: String, name: String
    ) throws {
        try write("file", [])
        let run = try BenchRun(small + [option, scratch.file(name)])
        try run.expectEnd(.system)
        #expect(run.text.contains("bulla-bench: write \(scratch.file(name)): "), "\(run.text)")
        #expect(!run.text.contains("making"), "\(run.text)")
    }

    @Test(arguments: [
        ("--place", "node:777", "--place node:777: the machine has no node 777, but 0"),
        ("--place", "cores:999", "the machine has no core 999, but 0"),
        ("--place", "cores:abc", "--place is 'cores:abc', expected spread, pack, node:K"),
        ("--memory", "node:999", "--memory node:999: the machine has no node 999, but 0"),
        ("--operations", "0", "--operations is 0, expected one or more for each of the 1"),
    ])
    func `because of where, or how much, is told before the work begins`(
        option: String, value: String, message: String
    ) throws {
        let run = try BenchRun(small + [option, value])
        try run.expectEnd(.usage)
        #expect(run.text.contains(message), "\(run.text)")
        #expect(!run.text.contains("making"), "\(run.text)")
    }

    @Test(.enabled(if: SmallDisk.isAllowed, "this user may not mount a file system"))
    func `in its regime is left out by name, and the rest is measured`() throws {
        let json = scratch.file("result.json")
        let run = try BenchRun(
            small + ["--regime", "disk,hot", "--json", json],
            launcher: SmallDisk(byteCount: 64 << 20).launcher)
        try run.expectEnd(.undecided)
        let result = try BenchProgram.result(json)
        #expect(result.rows.map(\.regime.temperature) == [.hot])
        #expect(result.skipped.count == 1)
        #expect(result.skipped.first?.hasPrefix("disk: drop ") == true)
        #expect(run.text.contains("skipped: disk: drop "), "\(run.text)")
        #expect(run.text.contains("(file system tmpfs)"), "\(run.text)")
    }

    @Test(.enabled(if: SmallDisk.isAllowed, "this user may not mount a file system"))
    func `in any regime is told, and not taken for a run`() throws {
        let run = try BenchRun(
            small + ["--regime", "disk,memory-bound"],
            launcher: SmallDisk(byteCount: 64 << 20).launcher)
        try run.expectEnd(.usage)
        #expect(run.text.contains("nothing is left to measure: disk: drop "), "\(run.text)")
        #expect(run.text.contains("; memory-bound: "), "\(run.text)")
    }

    @Test func `because a peer is not there is left out by name`() throws {
        let json = scratch.file("result.json")
        let run = try BenchRun(
            ["peers", "--programs", "/nowhere", "--json", json] + small.dropFirst())
        try run.expectEnd(.met)
        let result = try BenchProgram.result(json)
        #expect(result.contenders.map(\.name) == ["bulla", "bulla-encrypted"])
        let skipped = Peer.all.map { "\($0.name): there is no program /nowhere/\($0.program)" }
        #expect(result.skipped == skipped)
        for line in skipped { #expect(run.text.contains("skipped: \(line)\n")) }
    }

    @Test(arguments: [
        (PeerScript.silent, "ended with status 0"), (.echo, "gives no valid answer"),
    ])
    func `because a peer's program is no worker is told`(
        script: PeerScript, message: String
    ) throws {
        let program = scratch.file("bulla-peer-lmdb")
        try script.write(to: program)
        let run = try BenchRun(
            ["peers", "--only", "lmdb", "--programs", scratch.path] + small.dropFirst())
        try run.expectEnd(.worker)
        #expect(run.text.contains("worker 1 of 1 on the lmdb store"), "\(run.text)")
        #expect(run.text.contains(message), "\(run.text)")
        #expect(run.text.contains(": is \(program) a worker?"), "\(run.text)")
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Descriptor.create(scratch.file(name)).write(bytes)
    }

    private let small = [
        "overhead", "--records", "2000", "--fields", "1", "--workloads", "point-read",
        "--operations", "100", "--rounds", "1",
    ]
}

/// Runs the built program on a full disk.
@Suite(.enabled(if: SmallDisk.isAllowed, "this user may not mount a file system"))
struct `A full disk` {
    @Test(arguments: [
        (256 << 10, BenchExit.system, "write to "), (2 << 20, .store, "worker 1 of 1 on the "),
    ])
    func `ends a run with what was full`(
        byteCount: Int, exit: BenchExit, message: String
    ) throws {
        let run = try BenchRun(words, launcher: SmallDisk(byteCount: byteCount).launcher)
        try run.expectEnd(exit)
        #expect(run.text.contains("bulla-bench: \(message)"), "\(run.text)")
        #expect(run.text.contains("No space left on device"), "\(run.text)")
    }

    @Test func `ends a run that has something already with a partial result`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        let run = try BenchRun(
            words + ["--json", json], launcher: SmallDisk(byteCount: 20 << 20).launcher)
        try run.expectEnd(.system)
        #expect(run.text.contains("PARTIAL: the run ended early: copy to "), "\(run.text)")
        let result = try BenchProgram.result(json)
        #expect(result.failure?.contains("No space left on device") == true)
        #expect(result.rows.map(\.workload) == ["load"])
    }

    @Test func `for the result is told with its name`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        try #require(FileManager.default.fileExists(atPath: "/dev/full"))
        let json = scratch.file("result.json")
        try FileManager.default.createSymbolicLink(atPath: json, withDestinationPath: "/dev/full")
        let run = try BenchRun(words + ["--json", json])
        try run.expectEnd(.system)
        #expect(run.text.contains("write to \(json): No space left on device"), "\(run.text)")
        #expect(run.text.contains("verdict: "), "what was measured is told all the same")
    }

    private let words = [
        "overhead", "--records", "2000", "--workloads", "load,small-commit", "--operations", "100",
        "--rounds", "1",
    ]
}
