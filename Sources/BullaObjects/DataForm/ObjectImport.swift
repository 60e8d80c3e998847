internal import Bulla
internal import BullaMemory

/// Imports lines of JSON into a store of objects, in transactions of bounded size.
///
/// A line can refer to an object that comes later, or never, because a link is only a key. An error
/// names the line, the model and the property, but never a value. Transactions that were committed
/// before the error stay committed, and ``summary`` counts what they did.
public struct ObjectImport: Sendable {
    /// What an import has done.
    public struct Summary: Sendable, Hashable, Codable {
        /// How many objects were added.
        public package(set) var insertedCount = 0
        /// How many objects replaced others.
        public package(set) var replacedCount = 0
        /// How many transactions were committed.
        public package(set) var commitCount = 0
    }

    /// The model of all lines; nil if each line names its own.
    public let model: String?
    /// Whether an object replaces a stored one with the same key; otherwise, such an object is an
    /// error.
    public var replacesObjects = false
    /// Whether the import leaves out sealed values; otherwise they are an error.
    public var leavesOutSealed = false
    /// What the committed transactions have done so far.
    public private(set) var summary = Summary()

    private let database: SchemaDatabase
    private var lineNumber = 0

    /// The limits of one transaction: the number of objects, and the bytes of their lines.
    private static let (objectLimit, byteLimit) = (4_000, 16 << 20)

    /// An import into a store.
    ///
    /// - Parameters:
    ///   - database: the database to import into.
    ///   - model: the name of the model of all lines; `nil` if each line names its own, as
    ///     ``ObjectLines/namedLine(of:in:)`` writes it.
    public init(into database: SchemaDatabase, model: String?) {
        (self.database, self.model) = (database, model)
    }

    /// Imports all lines.
    ///
    /// - Parameter next: returns the next line, without its newline; `nil` at the end. Blank lines
    ///   are skipped.
    /// - Throws: what `next` throws; `invalidLine`, `sealed`, `invalidModel`, `invalidKey`,
    ///   `duplicateKey`, `duplicateValue`, `tooLarge`, each with the number of the line;
    ///   `schemaChanged`, `store`.
    public mutating func run(_ next: () throws -> [UInt8]?) throws {
        var lines = ObjectLines(database.schema)
        lines.leavesOutSealed = leavesOutSealed
        if let model { _ = try lines.model(model) }
        // Read the lines before the transaction begins: lines may arrive slowly, and during a
        // transaction other writers have to wait.
        while let batch = try nextBatch(next) {
            let (inserted, replaced) = try database.write { transaction in
                try take(batch, lines, &transaction)
            }
            summary.insertedCount += inserted
            summary.replacedCount += replaced
            summary.commitCount += 1
        }
    }

    /// Imports all lines without blocking the threads that tasks share.
    ///
    /// - Parameter next: runs on a background thread; returns the next line, without its newline;
    ///   `nil` at the end.
    /// - Throws: as the synchronous form; `store`, with the cause `cancelled`, at the first line
    ///   after the task is cancelled.
    public mutating func run(_ next: @escaping @Sendable () throws -> [UInt8]?) async throws {
        let before = self
        let (after, failure) = await ObjectDatabase.queue.runStoppable {
            cancellation -> (ObjectImport, (any Error)?) in
            var work = before
            do {
                try work.run {
                    try ObjectError.ofStore { () throws(BullaError) in try cancellation.check() }
                    return try next()
                }
            } catch { return (work, error) }
            return (work, nil)
        }
        self = after
        if let failure { throw failure }
    }

    /// The lines of one transaction, with their numbers; `nil` if there are no more.
    private mutating func nextBatch(
        _ next: () throws -> [UInt8]?
    ) throws -> [(number: Int, line: [UInt8])]? {
        var (batch, byteCount) = ([(number: Int, line: [UInt8])](), 0)
        while batch.count < Self.objectLimit, byteCount < Self.byteLimit, let line = try next() {
            lineNumber += 1
            guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
            byteCount += line.count
            batch.append((lineNumber, line))
        }
        return batch.isEmpty ? nil : batch
    }

    private func take(
        _ batch: [(number: Int, line: [UInt8])], _ lines: ObjectLines,
        _ transaction: inout ObjectTransaction
    ) throws(ObjectError) -> (inserted: Int, replaced: Int) {
        var inserted = 0
        for (number, line) in batch {
            do throws(ObjectError) {
                if try take(line, lines, &transaction) { inserted += 1 }
            } catch {
                guard error.cause == nil else { throw error }
                throw ObjectError(error.code, "import line \(number): \(error.message)")
            }
        }
        return (inserted, batch.count - inserted)
    }

    /// - Returns: whether the object was added, rather than replacing another.
    private func take(
        _ line: [UInt8], _ lines: ObjectLines, _ transaction: inout ObjectTransaction
    ) throws(ObjectError) -> Bool {
        guard let model else {
            let (model, fields) = try lines.namedFields(of: line)
            return try put(fields, into: model, &transaction)
        }
        return try put(lines.fields(of: line, in: model), into: model, &transaction)
    }

    private func put(
        _ fields: ObjectFields, into model: String, _ transaction: inout ObjectTransaction
    ) throws(ObjectError) -> Bool {
        do throws(ObjectError) {
            if replacesObjects { return try transaction.upsert(fields, into: model) }
            try transaction.insert(fields, into: model)
            return true
        } catch {
            throw withoutKey(error, of: fields, in: try transaction.bindings.table(named: model))
        }
    }

    /// The error without the object's key: the key is one of the line's values, so no error may
    /// name it.
    private func withoutKey(
        _ error: ObjectError, of fields: ObjectFields, in table: ObjectTable
    ) -> ObjectError {
        guard error.cause == nil, let key = try? table.key(of: fields) else { return error }
        let text = key.withView { table.text(ofKey: $0) }
        return ObjectError(error.code, error.message.replacing(text, with: table.model.name))
    }
}
