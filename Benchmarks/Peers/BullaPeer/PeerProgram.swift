public import BullaBenchKit
internal import Foundation

/// The program of a peer, which `bulla-bench peers` starts as a worker.
public enum PeerProgram {
    /// Obeys commands as a worker if `worker` is the only argument; otherwise prints its usage.
    ///
    /// - Parameters:
    ///   - name: the program's name.
    ///   - open: opens the engine's store; makes it if it does not exist.
    public static func run(_ name: String, _ open: @escaping Worker.Open) -> Never {
        guard CommandLine.arguments.dropFirst().elementsEqual(["worker"]) else {
            let help = "usage: \(name) worker (as bulla-bench peers starts it)\n"
            FileHandle.standardError.write(Data(help.utf8))
            exit(BenchExit.usage.rawValue)
        }
        Worker(open).run()
    }
}
