internal import ArgumentParser
internal import BullaBenchKit

extension ParsableCommand {
    /// Ends the process as `body` says, and tells what it throws in one line.
    func report(_ body: () throws -> BenchExit) throws {
        do {
            throw ExitCode(try body().rawValue)
        } catch let error as BenchError {
            Terminal.write("bulla-bench: \(error.message)\n")
            throw ExitCode(error.exit.rawValue)
        }
    }
}
