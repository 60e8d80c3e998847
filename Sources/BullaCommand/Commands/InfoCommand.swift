internal import ArgumentParser
internal import Bulla

/// `bulla info`: says what a store is.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say what a store is, and how large.",
        usage: "bulla info <store> [<options>]",
        discussion: """
              bulla info my.bulla --key-file my.key
              bulla info my.bulla --json --key-file my.key | jq .commit
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    func run() throws {
        let answer = try store.reading { opened in
            InfoAnswer(info: try opened.info, statistics: try opened.statistics)
        }
        try ByteOutput.print(
            output.json ? JSONOutput.line(answer) : answer.text)
    }
}
