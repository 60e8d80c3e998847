internal import ArgumentParser
internal import Bulla
internal import BullaText

/// `bulla batch`: makes the changes that a file or a pipe lists, as one transaction.
struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Make the changes of a file or a pipe as one transaction: all or nothing.",
        usage: "bulla batch <store> [<file>] [<options>]",
        discussion: """
            One change per line; blanks separate words. Without a file, or with -, the lines \
            come from standard input. A file may be compressed, as for load.

              put TREE KEY VALUE        makes the tree if it is missing
              delete TREE KEY           is no error if there is no such key
              delete TREE --prefix P    or --from K --to K, or --all
              create TREE
              drop TREE
              rename TREE NEW-NAME
              use TREE                  the lines below need not name the tree
              # ...                     is skipped, as an empty line is

            "two words" and 'two words' are each one word. As in scan, \\\\ \\t \\n \\r \\xNN \
            stand for bytes, except within single quotation marks; hex:00ff and base64:AP8= do \
            too. Quote a word that begins with --, hex: or base64: to have it stand for itself.

              printf 'put pets rex "a good dog"\\ndelete pets tom\\n' |
                bulla batch my.bulla --key-file my.key
              bulla batch my.bulla changes.txt --key-file my.key

            A wrong line ends the command, which names the line and changes nothing. A last line \
            without a newline is wrong, too, because it may have been cut. Slow input blocks \
            other writers only after its first 16 MiB.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The file of changes; - is standard input.", completion: .file()) var file = "-"
    @OptionGroup var output: JSONArguments
    @OptionGroup var quiet: QuietArguments

    func validate() throws {
        guard file != "-" || !store.key.takesStandardInput else {
            throw ValidationError("key and changes cannot both come from standard input")
        }
    }

    func run() throws {
        // Reads the key before opening any file: if the descriptor of `--key-fd` is not open, the
        // first file to be opened could get its number, and the key would be read from that file.
        let key = try store.storeKey()
        let input = ByteReader(try InputFile(file, within: store.timeout.duration))
        try input.skipByteOrderMark()
        var batch = Batch(input, store: store.store)
        Signals.catchInterrupts()
        try batch.readAhead()
        try store.using(key, { _ in }) { opened in
            try opened.write { transaction in try batch.apply(to: &transaction) }
        }
        if output.json {
            try ByteOutput.print(JSONOutput.line(batch.summary))
        } else if !quiet.quiet {
            try ByteOutput.print(batch.summary.text + "\n")
        }
    }
}
