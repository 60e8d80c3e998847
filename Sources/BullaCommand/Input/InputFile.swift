internal import BullaText

/// The bytes of a file or of standard input, decompressed if they are compressed.
final class InputFile: ByteOrigin {
    /// The name in messages.
    let name: String
    /// The name without the suffix of a compression; any suffix that remains shows the format.
    let plainName: String
    /// The size of the file before decompression, if it is known.
    let byteCount: UInt64?
    private let file: Descriptor
    private let decompressor: ChildProcess?

    /// Opens a file; `-` is standard input.
    ///
    /// - Parameter timeout: if the file is a pipe, how long to wait until a process writes to it.
    convenience init(_ path: String, within timeout: Duration) throws {
        try self.init(path == "-" ? .standardInput : .reading(path, within: timeout))
    }

    init(_ file: Descriptor) throws {
        self.file = file
        name = file.name
        byteCount = file.fileByteCount
        plainName = Self.withoutSuffix(file.name)
        decompressor = try Self.compression(of: file).map { [file] compression in
            try ChildProcess(
                tool: compression.tool, package: compression.package, arguments: ["-dc"],
                input: file)
        }
    }

    /// The compression of the file, recognised by the file's first bytes.
    ///
    /// The first bytes of a pipe cannot be read twice, so a pipe's name decides instead.
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

    /// The position in the file, counted before decompression.
    var position: UInt64 { file.position }

    func refusal(_ message: String) -> any Error { CommandError(.data, message) }

    /// Reads the next bytes into the part of `buffer` that begins at index `offset`.
    ///
    /// - Returns: how many bytes were read; 0 at the end.
    /// - Throws: if the decompressing program failed, so that its output is incomplete.
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

/// A compression that a tool of the system can undo.
///
/// Unless a file is a pipe, its first bytes decide which compression it has, because its name may
/// be wrong.
enum Compression: String, CaseIterable, Sendable {
    case gzip, xz, lz4, zstd

    /// The first bytes of a file in this compression.
    ///
    /// - Source: RFC 1952; the .xz file format 1.2; LZ4 frame format 1.6; RFC 8878.
    var magic: [UInt8] {
        switch self {
        case .gzip: [0x1F, 0x8B]
        case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
        case .lz4: [0x04, 0x22, 0x4D, 0x18]
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
        }
    }

    /// The suffix in the name of a file in this compression.
    var suffix: String {
        switch self {
        case .gzip: ".gz"
        case .xz: ".xz"
        case .lz4: ".lz4"
        case .zstd: ".zst"
        }
    }

    /// The program that decompresses its standard input if it is called with `-dc`.
    var tool: String { rawValue }

    /// The Debian package that contains the tool.
    var package: String { self == .xz ? "xz-utils" : rawValue }

    static let magicByteLimit = 6

    /// The compression of a file that begins with `head`.
    static func of(head: [UInt8]) -> Compression? { allCases.first { head.starts(with: $0.magic) } }

    /// The compression that a name suggests.
    static func of(name: String) -> Compression? { allCases.first { name.hasSuffix($0.suffix) } }
}
