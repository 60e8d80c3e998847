internal import Foundation
package import Glibc

/// The memory of another process, read from /proc.
package struct ProcessMemory {
    /// A mapping, as listed in /proc/<pid>/smaps.
    package struct Mapping {
        package var range: Range<UInt64>
        package var permissions: String
        package var path: String
        package var anonymousByteCount = 0
        package var flags: Set<Substring> = []

        /// Whether a core dump would hold it (core(5), with the filter that systems set).
        ///
        /// A dump holds private memory that was written, and shared memory without a file, but not
        /// the kernel's own mappings or what advice has excluded.
        package var isDumped: Bool {
            guard !flags.contains("dd"), !flags.contains("io"), isReadable else { return false }
            let isShared = permissions.hasSuffix("s")
            return isShared ? isWithoutFile : anonymousByteCount > 0 || permissions.contains("w")
        }

        /// Whether it has private memory that was written, or is shared memory without a file; a
        /// core dump need not hold it.
        package var isAnonymous: Bool { anonymousByteCount > 0 || isWithoutFile }
        package var isReadable: Bool { permissions.hasPrefix("r") && !path.hasPrefix("[v") }
        private var isWithoutFile: Bool { path.isEmpty || path.hasSuffix("(deleted)") }
    }

    private let process: pid_t
    package let mappings: [Mapping]

    package init(_ process: pid_t) throws {
        self.process = process
        let file = try Self.open(process, "smaps")
        defer { close(file) }
        mappings = Self.parse(String(decoding: Self.readToEnd(file), as: UTF8.self))
    }

    private static func open(_ process: pid_t, _ name: String) throws -> Int32 {
        let file = unsafe Glibc.open("/proc/\(process)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw POSIXError(.EACCES) }
        return file
    }

    /// Files in /proc have no length, and are read in pieces.
    private static func readToEnd(_ file: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            // SAFETY: there is room for as many bytes as requested.
            let count = unsafe Glibc.read(file, &part, part.count)
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
        }
    }

    private static func parse(_ text: String) -> [Mapping] {
        var mappings: [Mapping] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if let mapping = mapping(words) {
                mappings.append(mapping)
            } else if words[0] == "Anonymous:" {
                mappings[mappings.count - 1].anonymousByteCount = (Int(words[1]) ?? 0) << 10
            } else if words[0] == "VmFlags:" {
                mappings[mappings.count - 1].flags = Set(words.dropFirst())
            }
        }
        return mappings
    }

    private static func mapping(_ words: [Substring]) -> Mapping? {
        let bounds = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard words.count >= 5, bounds.count == 2 else { return nil }
        return Mapping(
            range: bounds[0]..<bounds[1], permissions: String(words[1]),
            path: words.dropFirst(5).joined(separator: " "))
    }

    private static let partByteCount: UInt64 = 1 << 20

    /// The canaries that have a piece in the mappings with memory of their own.
    package func canaries(_ search: CanarySearch, in mappings: [Mapping]) throws -> Set<Int> {
        var found: Set<Int> = []
        try forEachPart(of: mappings) { found.formUnion(search.found(in: $0)) }
        return found
    }

    /// Visits the content of mappings with memory of their own, in overlapping parts.
    ///
    /// - Returns: how much memory was visited.
    @discardableResult
    package func forEachPart(
        of mappings: [Mapping], _ body: ([UInt8]) -> Void
    ) throws -> SearchExtent {
        var extent = SearchExtent()
        let file = try Self.open(process, "mem")
        defer { close(file) }
        for mapping in mappings where mapping.isAnonymous && mapping.isReadable {
            var start = mapping.range.lowerBound
            while start < mapping.range.upperBound {
                let end = min(start + Self.partByteCount, mapping.range.upperBound)
                let overlap = end < mapping.range.upperBound ? Self.overlapByteCount : 0
                let (bytes, unreadable) = Self.read(file, start..<end + overlap)
                body(bytes)
                extent.byteCount += bytes.count - unreadable
                extent.unreadableByteCount += unreadable
                start = end
            }
        }
        return extent
    }

    /// As long as the part by which a search recognizes a key schedule; a piece of a canary is
    /// shorter.
    private static let overlapByteCount: UInt64 = 64

    /// The bytes of a range; unreadable memory, such as a guard page or memory that only its
    /// process sees, reads as zeros and is counted.
    private static func read(
        _ file: Int32, _ range: Range<UInt64>
    ) -> (bytes: [UInt8], unreadableByteCount: Int) {
        var bytes = [UInt8](repeating: 0, count: range.count)
        // SAFETY: there is room for as many bytes as requested.
        let count = unsafe pread(file, &bytes, bytes.count, off_t(range.lowerBound))
        guard count < bytes.count, range.count > 4096 else {
            return (bytes, bytes.count - max(count, 0))
        }
        bytes = []
        var unreadable = 0
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 4096) {
            let part = read(file, start..<min(start + 4096, range.upperBound))
            bytes += part.bytes
            unreadable += part.unreadableByteCount
        }
        return (bytes, unreadable)
    }
}

/// How much memory was searched.
package struct SearchExtent {
    package var byteCount = 0
    /// Bytes that no other process can read.
    package var unreadableByteCount = 0

    package init() {}
}
