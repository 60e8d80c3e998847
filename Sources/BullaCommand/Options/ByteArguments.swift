internal import ArgumentParser

/// Reads the bytes that arguments stand for.
struct ByteArguments: ParsableArguments {
    @Flag(help: "Keys and values on the command line and in the answer are hexadecimal digits.")
    var hex = false

    /// The bytes of an argument.
    ///
    /// - Parameter name: what the argument is called in the help.
    func bytes(_ text: String, _ name: String) throws -> [UInt8] {
        guard hex else { return Array(text.utf8) }
        guard let bytes = Hexadecimal.bytes(text.utf8) else {
            throw CommandError(
                .usage, "read \(name): not an even number of hexadecimal digits, as --hex asks for")
        }
        return bytes
    }

    func bytes(_ text: String?, _ name: String) throws -> [UInt8]? {
        try text.map { try bytes($0, name) }
    }
}
