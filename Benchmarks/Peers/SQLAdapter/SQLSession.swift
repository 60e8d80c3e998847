internal import BullaBenchKit

/// One thread's connection and its prepared statements.
final class SQLSession: EngineSession {
    private let begin: SQLStatement
    private let beginWriting: SQLStatement
    private let commit: SQLStatement
    private let rollback: SQLStatement
    private let getOne: SQLStatement
    private let scanAll: SQLStatement
    private let scanFrom: SQLStatement
    private let putOne: SQLStatement
    private let deleteOne: SQLStatement

    init(_ connection: SQLConnection) throws {
        begin = try connection.prepare("BEGIN")
        beginWriting = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        getOne = try connection.prepare("SELECT value FROM records WHERE key = ?1")
        scanAll = try connection.prepare("SELECT key, value FROM records ORDER BY key")
        scanFrom = try connection.prepare(
            "SELECT key, value FROM records WHERE key >= ?1 ORDER BY key")
        putOne = try connection.prepare("REPLACE INTO records (key, value) VALUES (?1, ?2)")
        deleteOne = try connection.prepare("DELETE FROM records WHERE key = ?1")
    }

    /// Begins no transaction for a single read, because such a read sees one snapshot anyway.
    func read(
        _ keys: ByteRun, _ range: Range<Int>, perSnapshot: Int, _ tally: inout Tally
    ) throws {
        if perSnapshot == 1 {
            for index in range {
                try keys.withBytes(index) { try look($0, &tally) }
                tally.didRead()
            }
        } else {
            try range.forEachPart(of: perSnapshot) { part in
                try transaction(begin) {
                    for index in part {
                        try keys.withBytes(index) { try look($0, &tally) }
                        tally.didRead()
                    }
                }
            }
        }
    }

    func readBatch(
        _ keys: ByteRun, _ range: Range<Int>, arrays: [[UInt8]], _ tally: inout Tally
    ) throws {
        try transaction(begin) {
            for index in range { try keys.withBytes(index) { try look($0, &tally) } }
        }
    }

    func scan(_ keys: ByteRun, from start: Int?, limit: Int, _ tally: inout Tally) throws {
        guard let start else { return try walk(scanAll, limit: limit) { tally.saw($0, $1) } }
        try keys.withBytes(start) { key in
            try scanFrom.bind(1, key)
            try walk(scanFrom, limit: limit) { tally.saw($0, $1) }
        }
    }

    func visitAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws {
        try walk(scanAll, limit: .max, body)
    }

    /// Begins no transaction, because a statement outside a transaction commits by itself.
    func put(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int) throws {
        try keys.withBytes(key) { key in try values.withBytes(value) { try put(key, $0) } }
    }

    func load(_ records: MappedRecords, _ range: Range<Int>) throws {
        try transaction(beginWriting) {
            for index in range {
                try records.withKey(index) { key in
                    try records.withValue(index) { try put(key, $0) }
                }
            }
        }
    }

    /// Begins as a writer, so that no other writer changes the record between the read and the
    /// write.
    func update(
        _ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int, _ tally: inout Tally
    ) throws {
        try transaction(beginWriting) {
            try keys.withBytes(key) { key in
                try look(key, &tally)
                try values.withBytes(value) { try put(key, $0) }
            }
        }
    }

    func delete(_ keys: ByteRun, _ key: Int) throws {
        try keys.withBytes(key) { key in
            try deleteOne.bind(1, key)
            try deleteOne.run()
        }
    }

    /// Runs `body` in a transaction, and commits it; rolls it back if `body` throws.
    @inline(__always)
    private func transaction(_ beginning: SQLStatement, _ body: () throws -> Void) throws {
        try beginning.run()
        do {
            try body()
            try commit.run()
        } catch {
            try? rollback.run()
            throw error
        }
    }

    @inline(__always)
    private func look(_ key: RawSpan, _ tally: inout Tally) throws {
        try getOne.bind(1, key)
        defer { getOne.reset() }
        guard try getOne.step() else { return tally.missed() }
        getOne.lend(0) { tally.saw($0) }
    }

    @inline(__always)
    private func put(_ key: RawSpan, _ value: RawSpan) throws {
        try putOne.bind(1, key)
        try putOne.bind(2, value)
        try putOne.run()
    }

    @inline(__always)
    private func walk(
        _ statement: SQLStatement, limit: Int, _ body: (_ key: RawSpan, _ value: RawSpan) -> Void
    ) throws {
        defer { statement.reset() }
        var left = limit
        while left > 0, try statement.step() {
            statement.lend(0) { key in statement.lend(1) { body(key, $0) } }
            left -= 1
        }
    }
}
