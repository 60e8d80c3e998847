import BullaBenchKit
import BullaText
import Foundation
import Glibc
import Testing

/// A run of the program, in the middle of which something can be done to it.
///
/// All that it writes, errors too, can be waited for, and all processes that it starts are known by
/// a mark in their environment.
final class BenchRun {
    /// Longer than any step of a test takes on a busy machine.
    private static let patience: Duration = .seconds(120)

    /// Its folder: what it leaves there, it leaves behind.
    let folder: String
    private(set) var text = ""
    private let scratch: Scratch
    private let child: Child
    private let lines: LineReader<BenchError>

    /// - Parameter launcher: words that start the program, in place of starting it itself.
    init(_ arguments: [String], launcher: (_ folder: String) -> [String] = { _ in [] }) throws {
        scratch = try Scratch(under: "/tmp", isKept: false)
        folder = scratch.file("runs")
        try Folder.make(folder)
        let script = "export BULLA_BENCH_TEST=\"$0\"; exec \"$@\" 2>&1"
        let words = launcher(folder) + [try BenchProgram.path()] + arguments
        let (child, output) = try Child.start(
            "sh", ["-c", script, folder] + words + ["--directory", folder])
        self.child = child
        lines = LineReader(output)
    }

    /// Reads on until a line that holds `words` has been read.
    func wait(for words: String) throws {
        while let line = try nextLine() {
            if line.contains(words) { return }
        }
        Issue.record("it ended before it wrote \(words): \(text)")
    }

    /// Reads the rest.
    func end() throws -> ChildEnd {
        while try nextLine() != nil {}
        return child.wait()
    }

    /// Expects how it ends, and that it leaves nothing behind: neither a process nor a file.
    func expectEnd(_ exit: BenchExit) throws {
        #expect(try end() == .exited(exit.rawValue), "\(text)")
        try wait(while: "processes are left") { !processes().isEmpty }
        #expect(Folder.names(in: folder) == [])
    }

    func signal(_ number: Int32) { kill(child.process, number) }

    /// Sends a signal, and waits until it has been taken.
    func signalTaken(_ number: Int32) throws {
        signal(number)
        try wait(while: "the signal waits") {
            let status = Self.contents("/proc/\(child.process)/status")
            let pending = status.split(separator: "\n").first { $0.hasPrefix("ShdPnd:") }
            let mask = pending.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) }
            return (mask ?? 0) >> UInt64(number - 1) & 1 == 1
        }
    }

    /// Kills a worker that was not about to end by itself.
    ///
    /// - Returns: its number.
    func killWorker() throws -> Int32 {
        var victim: Int32?
        try wait(while: "there is no worker") {
            victim = processes().filter { $0 != child.process }.first(where: Self.isStopped)
            return victim == nil
        }
        let worker = try #require(victim)
        kill(worker, SIGKILL)
        return worker
    }

    /// The living processes that bear the mark.
    private func processes() -> [Int32] {
        Folder.names(in: "/proc").compactMap(Int32.init).filter {
            Self.contents("/proc/\($0)/environ").contains("BULLA_BENCH_TEST=\(folder)\0")
        }
    }

    /// Stops it, which a process that has ended cannot be.
    private static func isStopped(_ process: Int32) -> Bool {
        kill(process, SIGSTOP)
        for _ in 0..<10_000 {
            let stat = contents("/proc/\(process)/stat")
            let state = stat.split(separator: ")").last?.first { $0 != " " }
            if state == "T" { return true }
            if state == nil || state == "Z" || state == "X" { return false }
            usleep(1_000)
        }
        return false
    }

    private func nextLine() throws -> String? {
        guard let bytes = try lines.next(timeLimit: Int(Self.patience.components.seconds)) else {
            return nil
        }
        let line = String(decoding: bytes, as: UTF8.self)
        text += line + "\n"
        return line
    }

    private func wait(while words: String, _ condition: () -> Bool) throws {
        let deadline = ContinuousClock.now + Self.patience
        while condition() {
            try #require(ContinuousClock.now < deadline, "\(words): \(text)")
            usleep(1_000)
        }
    }

    private static func contents(_ path: String) -> String {
        let bytes = try? Descriptor.open(path).readToEnd(limit: 1 << 20, of: path)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }
}
