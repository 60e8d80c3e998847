internal import Bulla
internal import BullaMemory

/// Follows what commits change in the result of a query, of whichever process.
///
/// Where the condition looks at an object's own properties alone, the log says all: each row that a
/// commit has put is compared with it. Otherwise, and where the log was used again before it was
/// read, the query is answered anew, and what it gives is compared with what was known.
struct QueryFollower {
    /// Reads for a condition that looks at nothing beside the row.
    private struct NoObjects: ObjectReading, ~Copyable {
        let bindings: ObjectBindings

        func visitEntry(
            _ key: RawSpan, in tree: Int, _ body: (RawSpan) throws(ObjectError) -> Void
        ) throws(ObjectError) -> Bool { false }

        func visitEntries(
            _ keys: [[UInt8]], in tree: Int, _ body: (Int, RawSpan?) throws(ObjectError) -> Void
        ) throws(ObjectError) {}

        func scan(
            _ tree: Int, _ range: KeyRange, _ order: ScanOrder,
            _ body: (RawSpan, RawSpan) throws(ObjectError) -> ScanStep
        ) throws(ObjectError) {}

        func count(of tree: Int) throws(ObjectError) -> Int { 0 }
    }

    /// What came of one wait.
    enum Step {
        /// No commit came in time.
        case overdue
        /// One came, and has changed nothing of the result.
        case unchanged
        case changed(RowChanges)
    }

    private let database: ObjectDatabase
    let bindings: ObjectBindings
    private let table: ObjectTable
    private let selection: Selection
    private let filter: FilterRun
    /// The models, beside the query's own, whose objects can change the result.
    private let watchedModels: Set<Int>
    /// Whether an object is in the result for what its own row says.
    private let asksRowsAlone: Bool
    /// The number that the store gives the model's tree.
    private var ownTree = 0
    /// Those of all trees that can change the result.
    private var watchedTrees: Set<Int> = []
    private var schemaTree = 0
    private var known = KnownRows()
    /// The last commit that was told.
    private var told: UInt64 = 0
    private var changes: StoreChanges?

    /// A follower that is so many commits behind tells of them together.
    private static let patience: UInt64 = 64

    init(
        _ selection: Selection, of table: ObjectTable, in database: ObjectDatabase,
        _ bindings: ObjectBindings
    ) {
        (self.selection, self.table) = (selection, table)
        (self.database, self.bindings) = (database, bindings)
        filter = FilterRun(selection.filter, bindings.tables)
        var models = selection.filter.modelTrees
        // Which objects are the first may depend on what others hold.
        if selection.limit != nil {
            for item in selection.order.items { models.formUnion(item.path.modelTrees) }
        }
        watchedModels = models
        asksRowsAlone = selection.limit == nil && models.isEmpty
    }

    /// The whole result, from which the changes go on.
    private mutating func begin() throws(ObjectError) -> RowChanges {
        let snapshot = try database.makeSnapshot()
        let store = database.store
        changes = try ObjectError.ofStore { () throws(BullaError) in
            try store.changes(since: snapshot.commit)
        }
        ownTree = try snapshot.storeNumber(of: table.number)
        watchedTrees = [ownTree]
        for number in watchedModels {
            watchedTrees.insert(try snapshot.storeNumber(of: number))
        }
        schemaTree = try snapshot.schemaTreeNumber()
        try compare(snapshot)
        return known.changes(upTo: told)
    }

    /// What the next commit has changed.
    mutating func next(waitingAtMost limit: Duration) throws(ObjectError) -> Step {
        guard let changes else { return .changed(try begin()) }
        let event = try ObjectError.ofStore { () throws(BullaError) in
            try changes.next(waitingAtMost: limit)
        }
        return try step(event, changes)
    }

    /// The same; it waits off the threads that tasks share.
    mutating func next(
        waitingAtMost limit: Duration, isolation: isolated (any Actor)?
    ) async throws(ObjectError) -> Step {
        guard let changes else { return .changed(try begin()) }
        let event: StoreChanges.Event?
        do {
            event = try await changes.next(waitingAtMost: limit)
        } catch {
            throw ObjectError(error)
        }
        return try step(event, changes)
    }

    private mutating func step(
        _ event: StoreChanges.Event?, _ changes: StoreChanges
    ) throws(ObjectError) -> Step {
        guard let event else { return .overdue }
        return try take(event, changes).map { .changed($0) } ?? .unchanged
    }

    private mutating func take(
        _ event: StoreChanges.Event, _ changes: StoreChanges
    ) throws(ObjectError) -> RowChanges? {
        switch event {
        case .gap(_, let upTo):
            guard upTo > told else { return nil }
            try compare(database.makeSnapshot())
        case .commit(let commit):
            // An answer may have gone ahead of the log.
            guard commit.commit > told, try concerns(commit) else { return nil }
            if asksRowsAlone {
                try touch(commit)
                told = commit.commit
                try catchUp(changes)
            } else {
                try compare(database.makeSnapshot())
            }
        }
        let result = known.changes(upTo: told)
        return result.isEmpty ? nil : result
    }

    /// Takes in the commits that are there already, where they are many.
    private mutating func catchUp(_ changes: StoreChanges) throws(ObjectError) {
        let (store, last) = (database.store, told)
        // What fails here fails again when the next commit is waited for, after this one is told.
        let newest = try? store.waitForCommit(after: last, timeout: .zero)
        guard let newest, newest - told > Self.patience else { return }
        while told < newest {
            let event = try ObjectError.ofStore { () throws(BullaError) in try changes.next() }
            switch event {
            case .commit(let commit):
                if try concerns(commit) { try touch(commit) }
                told = commit.commit
            case .gap:
                return try compare(database.makeSnapshot())
            case nil: return
            }
        }
    }

    /// Whether a commit can have changed the result.
    ///
    /// - Throws: `schemaChanged` where it has changed the schema.
    private func concerns(_ commit: CommittedChanges) throws(ObjectError) -> Bool {
        var isConcerned = false
        for operation in commit {
            guard operation.tree != schemaTree else { throw schemaChanged }
            isConcerned = isConcerned || watchedTrees.contains(operation.tree)
        }
        return isConcerned
    }

    private mutating func touch(_ commit: CommittedChanges) throws(ObjectError) {
        for operation in commit where operation.tree == ownTree {
            switch operation {
            case .put(_, let key, let row):
                let (key, row) = (key.copied, row.copied)
                known.touch(key, row: try isSelected(key, row) ? row : nil)
            case .delete(_, let key): known.touch(key.copied, row: nil)
            case .createTree, .dropTree, .renameTree: break
            }
        }
    }

    private func isSelected(_ key: [UInt8], _ row: [UInt8]) throws(ObjectError) -> Bool {
        let nothing = NoObjects(bindings: bindings)
        return try key.withView { key throws(ObjectError) in
            try row.withView { row throws(ObjectError) in
                try filter.selects(table.object(key, row), of: table, nothing)
            }
        }
    }

    /// Compares what a snapshot gives with what was known.
    private mutating func compare(_ snapshot: borrowing ObjectSnapshot) throws(ObjectError) {
        guard snapshot.bindings.generation == bindings.generation else { throw schemaChanged }
        let run = SelectionRun(selection, of: table, in: bindings.tables)
        try known.touchAll { touch throws(ObjectError) in
            try run.forEach(snapshot) { object in
                touch(object.key.copied(), object.row.copied())
                return .next
            }
        }
        told = snapshot.commit
    }

    private var schemaChanged: ObjectError {
        ObjectError(
            .schemaChanged,
            "follow \(table.model.name): another program has changed the schema; begin again")
    }
}

extension CommittedBytes {
    fileprivate var copied: [UInt8] { withBytes { bytes in bytes.withView { $0.copied() } } }
}

extension FilterTree<Path> {
    /// The models, beside the query's own, whose objects the filter looks at.
    var modelTrees: Set<Int> {
        switch self {
        case .constant: []
        case .not(let filter): filter.modelTrees
        case .all(let filters), .any(let filters):
            filters.reduce(into: []) { $0.formUnion($1.modelTrees) }
        case .test(let path, .entry(_, let filter)): path.modelTrees.union(filter.modelTrees)
        case .test(let path, _), .count(let path, _, _): path.modelTrees
        case .compare(let one, _, let other): one.modelTrees.union(other.modelTrees)
        case .elements(let path, _, let filter): path.modelTrees.union(filter.modelTrees)
        }
    }
}

extension Path {
    var modelTrees: Set<Int> {
        Set(
            steps.compactMap { step in
                switch step {
                case .property, .embedded: nil
                case .link(let model), .backlinks(let model, _): model
                }
            })
    }
}
