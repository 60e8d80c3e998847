internal import BullaMemory
internal import BullaRecords
internal import BullaRecordsWeb

/// Reads an input as one of the tokens that clients keep, or as edits of a real one.
///
/// All tokens are authenticated, so one that was not made here must be refused.
enum TokenFuzz {
    private static let forge = RecordForge.shared
    private static let query = RecordQuery("Note", filters: [], sorts: [])
    private static let tickets = WebTickets(forge.core, { 1_795_435_200_000 })

    /// A kind of token: a real one, and a check that returns `false` or throws for any other.
    private struct Sort: Sendable {
        let token: [UInt8]
        let isOne: @Sendable ([UInt8]) throws -> Bool
    }

    private static let sorts: [Sort] = {
        do { return try made() } catch { preconditionFailure("tokens can be made") }
    }()

    private static func made() throws -> [Sort] {
        let (database, keys) = (RecordForge.database, forge.container)
        let view = try forge.core.database(.private, .account(forge.account))
        let change = ChangeToken(
            zone: RecordForge.life, timeline: RecordForge.identifier(4), change: 9, forgotten: 1,
            complete: 8, shares: [RecordForge.identifier(7)])
        let seen = DatabaseToken.Seen(
            name: "notes", owner: RecordForge.account, change: 9,
            timeline: RecordForge.identifier(4), shares: [RecordForge.identifier(7)])
        let whole = DatabaseToken(
            timeline: RecordForge.identifier(4), zones: [RecordForge.life: seen])
        let mark = QueryMark(zone: RecordForge.life, range: 1, place: [1, 2])
        let ticket = try tickets.text(.download, [1, 2, 3], lifetime: 1_000)
        return [
            Sort(token: try change.bytes(database, keys)) {
                try ChangeToken($0, database, keys) == change
            },
            Sort(token: try whole.bytes(view)) {
                try DatabaseToken($0, view) == whole
            },
            Sort(token: try mark.sealed(query, database, keys)) {
                try QueryMark($0, query, database, keys) == mark
            },
            Sort(token: Array(ticket.utf8)) {
                try tickets.body(.download, String(decoding: $0, as: UTF8.self)) == [1, 2, 3]
            },
        ]
    }

    /// The first byte says which kind it is, and whether the input edits a real one.
    static func run(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        guard choice & 0x80 == 0 else { return readWebToken(input.rest) }
        let sort = sorts[Int(choice) % sorts.count]
        var token = input.rest
        if choice & 0x40 != 0 {
            token = sort.token
            input.edit(&token)
        }
        let isOne = (try? sort.isOne(token)) ?? false
        precondition(isOne == (token == sort.token), "a token that was not made is refused")
    }

    /// A web token is only bytes written as text, and has exactly one text.
    private static func readWebToken(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let token = try? WebToken(text) else { return }
        guard let again = try? WebToken(token.text()) else {
            preconditionFailure("a token's text is one")
        }
        precondition(again.text() == token.text(), "a token is read as it was")
    }

    static var seeds: [[UInt8]] {
        let web = Array(String(repeating: "Ab-_", count: 16).utf8)
        return sorts.indices.flatMap { index in
            [[UInt8(index)] + sorts[index].token, [UInt8(index) | 0x40, 3, 0, 1, 9, 9]]
        } + [[0x80] + web]
    }
}
