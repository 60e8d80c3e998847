/// A compression that the system has a tool for.
///
/// The file is recognised by its first bytes, and only then by its name: a name may lie.
enum Compression: String, CaseIterable, Sendable {
    case gzip, xz, lz4, zstd

    /// The bytes that such a file begins with.
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

    /// How the names of such files end.
    var suffix: String {
        switch self {
        case .gzip: ".gz"
        case .xz: ".xz"
        case .lz4: ".lz4"
        case .zstd: ".zst"
        }
    }

    /// The program that decompresses from its standard input with `-dc`.
    var tool: String { rawValue }

    /// The Debian package that has the tool.
    var package: String { self == .xz ? "xz-utils" : rawValue }

    static let magicByteLimit = 6

    /// The compression of a file that begins with `head`.
    static func of(head: [UInt8]) -> Compression? { allCases.first { head.starts(with: $0.magic) } }

    /// The compression that a name announces.
    static func of(name: String) -> Compression? { allCases.first { name.hasSuffix($0.suffix) } }
}
