internal import ArgumentParser
internal import Bulla
internal import BullaText

/// The range of a tree's keys.
struct RangeArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Only keys that begin with this.", valueName: "key"))
    var prefix: String?
    @Option(help: ArgumentHelp("Only keys from this one on.", valueName: "key"))
    var from: String?
    @Option(help: ArgumentHelp("Only keys before this one.", valueName: "key"))
    var to: String?

    var isGiven: Bool { prefix != nil || from != nil || to != nil }

    func bounds(_ bytes: ByteArguments) throws -> KeyBounds {
        KeyBounds(
            prefix: try bytes.bytes(prefix, "--prefix"), from: try bytes.bytes(from, "--from"),
            to: try bytes.bytes(to, "--to"))
    }
}

/// The name of a tree on the command line, in the form that `bulla trees` prints.
struct TreeArgument: ExpressibleByArgument {
    let name: TreeName

    init?(argument: String) {
        guard let name = TreeName(escaped: argument) else { return nil }
        self.name = name
    }

    /// The description in the help of every command.
    static let help = ArgumentHelp("The tree; escaped as bulla trees prints it.")
}

/// The form of a command's answer.
struct JSONArguments: ParsableArguments {
    @Flag(help: "Answer in JSON for programs; errors too, on standard error.")
    var json = false
}

/// Whether a command shows its progress and a summary.
struct QuietArguments: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show no progress and no summary.")
    var quiet = false
}

/// How long the command waits for other processes, and for the first bytes from a pipe.
struct TimeoutArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait for another process, and for a pipe to begin, in seconds.",
            valueName: "seconds"))
    var timeout: Double = 30

    func validate() throws {
        guard timeout >= 0, timeout <= 1e6 else {
            throw ValidationError("--timeout is \(timeout), expected 0 to 1000000 seconds")
        }
    }

    var duration: Duration { .seconds(timeout) }
}

/// Parses arguments as bytes.
struct ByteArguments: ParsableArguments {
    @Flag(help: "Keys and values on the command line and in the answer are hexadecimal digits.")
    var hex = false

    /// The bytes of an argument.
    ///
    /// - Parameter name: the argument's name in the help.
    func bytes(_ text: String, _ name: String) throws -> [UInt8] {
        guard hex else { return Array(text.utf8) }
        guard let bytes = Hex.bytes(text.utf8) else {
            throw CommandError(
                .usage, "read \(name): not an even number of hexadecimal digits, as --hex asks for")
        }
        return bytes
    }

    func bytes(_ text: String?, _ name: String) throws -> [UInt8]? {
        try text.map { try bytes($0, name) }
    }
}
