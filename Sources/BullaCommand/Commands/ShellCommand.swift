internal import ArgumentParser
internal import Bulla
internal import BullaText

/// `bulla shell`: runs commands on a store, line by line.
struct ShellCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Run commands on a store, line by line, typed or from a pipe.",
        usage: "bulla shell <store> [<options>]",
        discussion: """
            The store is opened once, and each line is a command: help lists the verbs. At a \
            terminal, lines can be edited, Tab completes verbs and trees, and the arrow keys bring \
            back former lines; Ctrl-C discards a line, Ctrl-D leaves.

              bulla shell my.bulla --key-file my.key
              printf 'use pets\\nput tom "a cat"\\ncount\\n' |
                bulla shell my.bulla --key-file my.key

            Answers have the form of scan, or with --json one object per line. The lines between \
            begin and commit are one transaction: other writers wait until it ends, and changes \
            that are not committed are lost. With a pipe there is no prompt, and the first line \
            that fails ends the shell: the message names the line, and the status is that of the \
            command of the same name. A last line without a newline is refused: it may have been \
            cut. Typed lines are kept in memory only, unless --history names a file, which is \
            plaintext.
            """)

    @OptionGroup var store: StoreArguments

    @Option(
        help: ArgumentHelp(
            "Keep typed lines, keys and values included, in this file of mode 0600.",
            valueName: "file"), completion: .file())
    var history: String?

    @Flag(help: "From a pipe: go on after a line that fails, unless it loses a transaction.")
    var keepGoing = false

    @OptionGroup var output: JSONArguments

    func validate() throws {
        guard !store.key.takesStandardInput else {
            throw ValidationError("key and lines cannot both come from standard input")
        }
    }

    func run() throws {
        let key = try store.storeKey()
        let input = try input()
        let manner = ShellSession.Manner(isJSON: output.json, keepsGoing: keepGoing)
        try store.using(key, { _ in }) { opened in
            try ShellSession(opened, path: store.store, input: input, manner: manner).run()
        }
    }

    private func input() throws -> any ShellInput {
        if let terminal = Terminal() {
            return LineEditor(terminal, try ShellHistory(file: history))
        }
        let standardInput = Descriptor.standardInput
        let isTyped = standardInput.isTerminal && Descriptor.standardOutput.isTerminal
        return PlainInput(ByteReader(try InputFile(standardInput)), isInteractive: isTyped)
    }
}
