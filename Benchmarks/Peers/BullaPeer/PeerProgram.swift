public import BullaBenchKit
internal import Foundation

/// What a peer's program does: it works for `bulla-bench peers`, which starts it.
public enum PeerProgram {
    /// Obeys as a worker where `worker` is the only argument; else says what the program is for.
    ///
    /// - Parameters:
    ///   - name: the program's.
    ///   - open: opens the engine's store, or makes it where there is none yet.
    public static func run(_ name: String, _ open: @escaping Worker.Open) -> Never {
        guard CommandLine.arguments.dropFirst().elementsEqual(["worker"]) else {
            let help = "usage: \(name) worker, which is what bulla-bench peers starts it as\n"
            FileHandle.standardError.write(Data(help.utf8))
            exit(BenchExit.usage.rawValue)
        }
        Worker(open).run()
    }
}
