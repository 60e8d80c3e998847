/// A file or standard input, as the bytes that it stands for: decompressed where it is compressed.
final class InputFile {
    /// What it is called in messages.
    let name: String
    /// The name that tells the format: without the suffix of its compression.
    let plainName: String
    /// How many bytes the file has as it lies there, where that is known.
    let byteCount: UInt64?
    private let file: Descriptor
    private let decompressor: ChildProcess?

    /// Opens a file; `-` is standard input.
    ///
    /// - Parameter timeout: how long a pipe is waited for until it is written to.
    convenience init(_ path: String, within timeout: Duration) throws {
        try self.init(path == "-" ? .standardInput : .reading(path, within: timeout))
    }

    init(_ file: Descriptor) throws {
        self.file = file
        name = file.name
        byteCount = file.byteCount
        plainName = Self.withoutSuffix(file.name)
        decompressor = try Self.compression(of: file).map { [file] compression in
            try ChildProcess(
                tool: compression.tool, package: compression.package, arguments: ["-dc"],
                input: file)
        }
    }

    /// How the file is compressed: by its first bytes, or for a pipe, which has no place to go back
    /// to, by its name.
    private static func compression(of file: Descriptor) throws -> Compression? {
        let announced = Compression.of(name: file.name)
        guard let head = file.peek(Compression.magicByteLimit) else { return announced }
        let found = Compression.of(head: head)
        if let announced, found == nil {
            throw CommandError(
                .data,
                "read \(file.name): its name ends in \(announced.suffix), "
                    + "but it does not begin as \(announced.rawValue) data does")
        }
        return found
    }

    private static func withoutSuffix(_ path: String) -> String {
        guard let compression = Compression.of(name: path) else { return path }
        return String(path.dropLast(compression.suffix.count))
    }

    /// Where reading stands in the file as it lies there.
    var position: UInt64 { file.position }

    /// Reads into `buffer` from `offset` on.
    ///
    /// - Returns: how many bytes; 0 at the end.
    /// - Throws: when the program that decompresses failed: what it gave is then not all.
    func read(into buffer: inout [UInt8], from offset: Int) throws -> Int {
        guard let decompressor else { return try file.read(into: &buffer, from: offset) }
        let count = try decompressor.output.read(into: &buffer, from: offset)
        guard count == 0 else { return count }
        do {
            try decompressor.wait()
        } catch var error as CommandError {
            error.message = "decompress \(name): " + error.message
            throw error
        }
        return 0
    }
}
