internal import ArgumentParser
internal import Bulla

/// `bulla checkpoint`: writes the changes in the log to the trees.
struct CheckpointCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: "Write the changes in the log to the trees.",
        usage: "bulla checkpoint <store> [<options>]",
        discussion: """
            This is never necessary: the store makes checkpoints by itself when half of the log is \
            full, when nobody writes any more, and when the last process closes the store. Others \
            can read and write meanwhile.

              bulla checkpoint my.bulla --key-file my.key
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: JSONArguments

    func run() throws {
        let info = try store.writing { opened in
            while try opened.checkpoint() {}
            return try opened.info
        }
        if output.json { try ByteOutput.print(JSONOutput.line(info.log)) }
    }
}

/// `bulla log`: prints the length of the log, or limits it.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Say how long the log of a store is, or limit it.",
        usage: "bulla log <store> [--limit <bytes>] [<options>]",
        discussion: """
            Commits go to the log first, and checkpoints write them to the trees. If commits come \
            faster than checkpoints, the log grows up to its limit. A longer log makes large loads \
            faster, and takes more memory in every process that has the store open. The limit \
            stays with the store. A log that is already longer does not shrink.

              bulla log my.bulla --key-file my.key
              bulla log my.bulla --limit 256MiB --key-file my.key
            """)

    @OptionGroup var store: StoreArguments

    @Option(
        help: ArgumentHelp(
            "The greatest length of both halves together: 128KiB to 4GiB.", valueName: "bytes"))
    var limit: ByteCountArgument?

    @OptionGroup var output: JSONArguments

    func validate() throws { try limit?.validateAsLogLimit("--limit") }

    func run() throws {
        let answer = try answer()
        try ByteOutput.print(
            output.json ? JSONOutput.line(answer.info.log) : "\(answer.log)\n")
    }

    private func answer() throws -> InfoAnswer {
        guard let limit else { return try store.reading { try InfoAnswer($0) } }
        return try store.writing { opened in
            try opened.limitLog(toBytes: limit.byteCount)
            return try InfoAnswer(opened)
        }
    }
}

extension ByteCountArgument {
    /// - Parameter option: the option that gave this byte count.
    func validateAsLogLimit(_ option: String) throws {
        guard StoreOptions.logByteLimits.contains(byteCount) else {
            throw ValidationError("\(option) is \(byteCount) bytes, expected 128KiB to 4GiB")
        }
    }
}
