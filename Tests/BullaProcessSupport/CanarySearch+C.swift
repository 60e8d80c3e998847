internal import Foundation

/// Searches any bytes for pieces of canaries, raw and as text.
///
/// A piece is any 16 bytes of a canary, or any 24 bytes of its hexadecimal, base64 or UTF-16 form,
/// or the whole canary or form if it is shorter. A number is a canary with several spellings, each
/// of which is searched for in all of these forms.
package struct CanarySearch {
    private struct Piece {
        let canary: Int
        let bytes: [UInt8]
    }

    package let canaryCount: Int
    /// The pieces, by their first eight bytes.
    private var pieces: [UInt64: [Piece]] = [:]
    /// One bit for each hash of a piece's first eight bytes.
    private var filter = [Bool](repeating: false, count: 1 << filterBitCount)

    private static let filterBitCount: UInt64 = 20
    private static let rawPieceByteCount = 16
    private static let textPieceByteCount = 24

    /// - Parameter canaries: at least eight bytes each.
    package init(_ canaries: [[UInt8]]) { self.init(spelledOut: canaries.map { [$0] }) }

    /// - Parameter canaries: the spellings of each, at least eight bytes each.
    package init(spelledOut canaries: [[[UInt8]]]) {
        canaryCount = canaries.count
        for (index, spellings) in canaries.enumerated() {
            for spelling in spellings {
                add(spelling, of: index, Self.rawPieceByteCount)
                for text in Self.texts(spelling) { add(text, of: index, Self.textPieceByteCount) }
            }
        }
    }

    private static func texts(_ canary: [UInt8]) -> [[UInt8]] {
        let hexadecimal = canary.map { String(format: "%02x", $0) }.joined()
        let base64 = (0..<3).map { lead in
            let text = Data([UInt8](repeating: 0, count: lead) + canary).base64EncodedString()
            // At both ends, leave out the base64 characters that depend on neighbouring bytes.
            let first = (lead * 8 + 5) / 6
            return Array(text.utf8)[first..<(lead + canary.count) * 8 / 6]
        }
        // The part that the UTF-16 forms of a text in both byte orders have in common. This part
        // can start at any byte.
        let wide: [UInt8] = Array(canary.flatMap { [$0, 0] as [UInt8] }.dropLast())
        return [Array(hexadecimal.utf8), Array(hexadecimal.uppercased().utf8), wide]
            + base64.map { Array($0) }
    }

    private mutating func add(_ form: [UInt8], of canary: Int, _ byteCount: Int) {
        let byteCount = min(byteCount, form.count)
        for start in 0...form.count - byteCount {
            let piece = Array(form[start..<start + byteCount])
            let word = piece.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            pieces[word, default: []].append(Piece(canary: canary, bytes: piece))
            filter[Self.hash(word)] = true
        }
    }

    private static func hash(_ word: UInt64) -> Int {
        Int((word &* 0x9E37_79B9_7F4A_7C15) >> (64 - filterBitCount))
    }

    /// The canaries that have a piece in these bytes.
    package func found(in bytes: [UInt8]) -> Set<Int> {
        // SAFETY: the buffer does not leave the closure.
        unsafe bytes.withUnsafeBytes { unsafe found(in: $0) }
    }

    private func found(in bytes: UnsafeRawBufferPointer) -> Set<Int> {
        // SAFETY: the buffers do not leave the closure; runs lie inside their buffer.
        unsafe filter.withUnsafeBufferPointer { filter in
            var found: Set<Int> = []
            for run in unsafe MemoryRuns.of(bytes) {
                let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[run])
                unsafe find(in: part, filter, &found)
            }
            return found
        }
    }

    private func find(
        in bytes: UnsafeRawBufferPointer, _ filter: UnsafeBufferPointer<Bool>,
        _ found: inout Set<Int>
    ) {
        var start = 0
        while start <= bytes.count - 8 {
            // SAFETY: eight bytes from `start` lie inside.
            let word = unsafe UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped + start)
                .loadUnaligned(as: UInt64.self)
            if unsafe filter[Self.hash(word)], let pieces = pieces[word] {
                for piece in pieces where unsafe bytes[start...].starts(with: piece.bytes) {
                    found.insert(piece.canary)
                }
            }
            start += 1
        }
    }
}
