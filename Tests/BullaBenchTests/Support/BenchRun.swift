import BullaBenchKit
import BullaText
import Foundation
import Glibc
import Testing

/// A run of the program in which a test can intervene.
///
/// A test can wait for any of the run's output, errors included. All processes that the run starts
/// have a mark in their environment, by which they are found.
final class BenchRun {
    /// Longer than any step of a test on a busy machine.
    private static let patience: Duration = .seconds(120)

    /// The run's folder, where leftover files would show.
    let folder: String
    private(set) var text = ""
    private let scratch: Scratch
    private let child: Child
    private let lines: LineReader<BenchError>

    /// - Parameter launcher: a command that starts the program; without it, the program is started
    ///   directly.
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

    /// Reads up to a line that contains `words`.
    func wait(for words: String) throws {
        while let line = try nextLine() {
            if line.contains(words) { return }
        }
        Issue.record("it ended before it wrote \(words): \(text)")
    }

    /// Reads the remaining output, and returns how the program ended.
    func end() throws -> ChildEnd {
        while try nextLine() != nil {}
        return child.wait()
    }

    /// Expects this exit, and that the run leaves neither a process nor a file behind.
    func expectEnd(_ exit: BenchExit) throws {
        #expect(try end() == .exited(exit.rawValue), "\(text)")
        try wait(while: "processes are left") { !processes().isEmpty }
        #expect(Folder.names(in: folder) == [])
    }

    func signal(_ number: Int32) { kill(child.process, number) }

    /// Sends a signal, and waits until the process has taken it.
    func signalTaken(_ number: Int32) throws {
        signal(number)
        try wait(while: "the signal waits") {
            let status = Self.contents("/proc/\(child.process)/status")
            let pending = status.split(separator: "\n").first { $0.hasPrefix("ShdPnd:") }
            let mask = pending.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) }
            return (mask ?? 0) >> UInt64(number - 1) & 1 == 1
        }
    }

    /// Kills a worker that is not about to end by itself.
    ///
    /// - Returns: the number of the worker's process.
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

    /// The living processes with the mark.
    private func processes() -> [Int32] {
        Folder.names(in: "/proc").compactMap(Int32.init).filter {
            Self.contents("/proc/\($0)/environ").contains("BULLA_BENCH_TEST=\(folder)\0")
        }
    }

    /// Sends a stop signal to the process, and returns whether it has stopped: `false` if it has
    /// ended.
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
