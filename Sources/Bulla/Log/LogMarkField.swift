internal import BullaCipher

/// The fields of a mark (which says how far the log was durable), in file order.
package enum LogMarkField: Int, CaseIterable {
    case magic, formatVersion, slot, reserved, history
    case commit, sequence, offset, segment, tag, authenticator

    package var byteCount: Int {
        switch self {
        case .magic, .commit, .sequence, .offset, .segment: 8
        case .formatVersion, .slot: 2
        case .reserved: 4
        case .history: 16
        case .tag: FrameTag.byteCount
        case .authenticator: Digest.byteCount
        }
    }

    package var offset: Int { Self.offsets[rawValue] }
    package static let byteCount = allCases.reduce(0) { $0 + $1.byteCount }

    private static let offsets = allCases.map { field in
        allCases.prefix(field.rawValue).reduce(0) { $0 + $1.byteCount }
    }

    package var meaning: String {
        switch self {
        case .magic: "the bytes 42 55 4C 4C 41 6D 72 6B"
        case .formatVersion: "1"
        case .slot: "0 or 1: a mark cannot be copied over the other"
        case .reserved: "zero"
        case .history: "the history that the log belongs to"
        case .commit: "newest commit known to be flushed"
        case .sequence: "the half in which it ends"
        case .offset: "where in it"
        case .segment: "where in it the segment begins; all ones where none has begun"
        case .tag: "of that commit's last frame"
        case .authenticator: "HMAC-SHA-256 of the header's checksum and the fields before"
        }
    }
}
