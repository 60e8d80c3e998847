internal import ArgumentParser

/// Which keys of a tree are meant.
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
