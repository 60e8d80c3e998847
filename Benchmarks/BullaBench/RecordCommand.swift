internal import ArgumentParser
internal import BullaBenchKit

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Writes the operations of a workload as a trace.",
        discussion: """
            A trace is text, one operation a line, such as "read user6284781860667377211" or "put \
            user8517097267634966620 1000". The workload "replay" follows such a trace.
            """)

    @Option(help: "A workload: ycsb-a to ycsb-f, or small-commit.")
    var workload = ListOption([Workload.ycsbA])

    @OptionGroup var generated: GeneratedOptions

    @Option(help: "Number of operations.")
    var operations = 100_000

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = 1

    @Argument(help: ArgumentHelp("The file to which the trace is written.", valueName: "file"))
    var output: String

    func run() throws {
        try report {
            try TraceRecorder(generated.options, seed: seed).record(
                workload.list, operationCount: operations, to: output)
            return .met
        }
    }
}
