/// The part of a file that a request's `Range` header asks for.
///
/// - Source: RFC 9110, sections 13.1.5 and 14.
package enum ByteRange: Hashable {
    /// The whole file, because the header is missing, malformed, or asks for several parts.
    case all
    case part(Range<UInt64>)
    /// A part that contains no byte of the file.
    case unsatisfiable

    /// - Parameters:
    ///   - text: the value of the `Range` header.
    ///   - byteCount: the length of the file.
    package init(_ text: String?, of byteCount: UInt64) {
        guard let text, text.lowercased().hasPrefix("bytes=") else {
            self = .all
            return
        }
        let parts = text.dropFirst(6).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Number(parts[0]), let last = Number(parts[1]) else {
            self = .all
            return
        }
        switch (first, last) {
        case (.missing, .missing): self = .all
        case (.missing, .value(let count)):
            let count = min(count, byteCount)
            self = count == 0 ? .unsatisfiable : .part(byteCount - count..<byteCount)
        case (.value(let first), .missing):
            self = first < byteCount ? .part(first..<byteCount) : .unsatisfiable
        case (.value(let first), .value(let last)):
            guard first <= last else {
                self = .all
                return
            }
            self =
                first < byteCount
                ? .part(first..<min(last, byteCount - 1) + 1) : .unsatisfiable
        }
    }

    private enum Number {
        case missing
        case value(UInt64)

        /// - Returns: `nil` if the text is not a number. A number beyond 64 bits becomes `.max`.
        init?(_ text: Substring) {
            guard text.utf8.allSatisfy(\.isDigit) else { return nil }
            self = text.isEmpty ? .missing : .value(UInt64(text) ?? .max)
        }
    }
}
