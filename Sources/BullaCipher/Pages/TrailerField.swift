/// The fields after the content of a sealed page, in file order.
///
/// Offsets are sums, so they cannot disagree.
///
///     field      bytes  sealed                        plain
///     nonce         12  random                        zeros
///     tag           16  what the cipher computed      XXH64 of the content, then zeros
///     keyEpoch       4  which data key sealed it      zero
package enum TrailerField: Int, CaseIterable {
    case nonce, tag, keyEpoch

    package var byteCount: Int {
        switch self {
        case .nonce: 12
        case .tag: 16
        case .keyEpoch: 4
        }
    }

    /// The offset from the beginning of the trailer.
    package var offset: Int {
        Self.allCases.prefix(rawValue).reduce(0) { $0 + $1.byteCount }
    }

    package static let totalByteCount = allCases.reduce(0) { $0 + $1.byteCount }
}
