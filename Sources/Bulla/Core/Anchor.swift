internal import BullaCipher

/// A record of one moment in a store's history, to be kept apart from the store.
///
/// Anybody who can write to the file can replace it with an older copy, and nothing inside the file
/// reveals the replacement. Opening a store with an anchor throws `rolledBack` if the store has
/// lost what it held at that moment. An anchor is no secret, and has a text form of about a hundred
/// characters.
public struct Anchor: Sendable, Hashable, LosslessStringConvertible {
    /// The newest durable commit at that moment.
    public let commit: UInt64
    private let file: [UInt8]
    package let history: [UInt8]

    private static let mark = "bulla-anchor"
    private static let version = "1"

    init(_ record: CommitRecord, of header: HeaderPage) {
        commit = record.commit
        file = header.fileIdentifier.bytes
        history = record.history.bytes
    }

    /// Reads the text form; `nil` if the text is not an anchor.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == Self.mark, parts[1] == Self.version,
            let file = Hexadecimal.bytes(parts[2]), file.count == 16,
            let history = Hexadecimal.bytes(parts[3]), history.count == 16,
            let commit = UInt64(parts[4]), parts[4] == "\(commit)"
        else { return nil }
        (self.file, self.history, self.commit) = (file, history, commit)
    }

    /// The text form: mark, version, identifier of the file, identifier of the history, commit; the
    /// identifiers are in hexadecimal digits.
    public var description: String {
        [
            Self.mark, Self.version, Hexadecimal.text(file), Hexadecimal.text(history), "\(commit)",
        ].joined(separator: ":")
    }

    /// Throws if a commit lacks something that the store held at the anchor's moment.
    func check(_ record: CommitRecord, of header: HeaderPage, path: String) throws(BullaError) {
        guard let lack = lack(record, of: header) else { return }
        throw BullaError(.rolledBack, "open \(path): \(lack.what)", commit: lack.commit)
    }

    /// Throws if an incremental backup of a commit cannot build on the anchor's commit.
    func checkBackup(
        _ record: CommitRecord, of header: HeaderPage, path: String
    ) throws(BullaError) {
        guard let lack = lack(record, of: header) else { return }
        throw BullaError(
            .invalidArgument,
            "back up \(path) since commit \(commit): \(lack.what); make a whole backup",
            commit: lack.commit ?? record.commit)
    }

    /// How a commit falls short of what the store held at the anchor's moment; `nil` if it does
    /// not.
    ///
    /// One restore, but no more, may have forked the history since that moment, and only from the
    /// anchor's commit or a later one.
    private func lack(
        _ record: CommitRecord, of header: HeaderPage
    ) -> (what: String, commit: UInt64?)? {
        guard header.fileIdentifier.bytes == file else {
            return ("the anchor belongs to another store", nil)
        }
        let known: UInt64? =
            switch history {
            case record.history.bytes: record.commit
            case record.parentHistory.bytes: record.forkCommit
            default: nil
            }
        guard let known else {
            return ("its history is not the anchor's, nor one that forked from it", record.commit)
        }
        guard known < commit else { return nil }
        return (
            "it has commit \(known) of the anchor's history, expected \(commit) or a later one",
            known
        )
    }
}

extension Anchor: Codable {
    /// Reads the text form.
    ///
    /// - Throws: `DecodingError` if the text is not an anchor.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let anchor = Anchor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the text is not an anchor")
        }
        self = anchor
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
