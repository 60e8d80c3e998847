internal import Bulla
internal import BullaMemory

/// Follows the changes that the commits of any process make to a query's result.
///
/// If the query has no limit, and its condition looks only at an object's own properties, the log
/// has all that is needed: the follower tests each row that a commit has written. Otherwise, or if
/// the log was overwritten before the follower read it, the follower answers the query anew, and
/// compares the result with the former one.
struct QueryFollower {
    /// A source without objects, for conditions that look only at the row.
    private struct NoObjects: ObjectReader, ~Copyable {
        let _bindings: _ObjectBindings

        func _visitEntry(
            _ key: RawSpan, in tree: Int, _ body: (RawSpan) throws(ObjectError) -> Void
        ) throws(ObjectError) -> Bool { false }

        func _visitEntries(
            _ keys: [[UInt8]], in tree: Int, _ body: (Int, RawSpan?) throws(ObjectError) -> Void
        ) throws(ObjectError) {}

        func _scan(
            _ tree: Int, _ range: KeyRange, _ order: ScanOrder,
            _ body: (RawSpan, RawSpan) throws(ObjectError) -> ScanStep
        ) throws(ObjectError) {}

        func _count(of tree: Int) throws(ObjectError) -> Int { 0 }
    }

    /// The result of one wait.
    enum Step {
        /// No commit came in time.
        case overdue
        /// A commit came, but changed nothing in the result.
        case unchanged
        case changed(RowChanges)
    }

    private let database: ObjectDatabase
    let bindings: _ObjectBindings
    private let table: ObjectTable
    private let selection: Selection
    private let filter: FilterRun
    /// The models, besides the query's own, whose objects can change the result.
    private let watchedModels: Set<Int>
    /// Whether an object's own row alone decides if the object is in the result.
    private let asksRowsAlone: Bool
    /// The store's number for the model's tree.
    private var ownTree = 0
    /// The trees in which a change can affect the result.
    private var watchedTrees: Set<Int> = []
    private var schemaTree = 0
    private var known = KnownRows()
    /// The last commit that was reported.
    private var told: UInt64 = 0
    private var changes: StoreChanges?

    /// How many commits the follower may fall behind before it reports several of them together.
    private static let patience: UInt64 = 64

    init(
        _ selection: Selection, of table: ObjectTable, in database: ObjectDatabase,
        _ bindings: _ObjectBindings
    ) {
        (self.selection, self.table) = (selection, table)
        (self.database, self.bindings) = (database, bindings)
        filter = FilterRun(selection.filter, bindings.tables)
        var models = selection.filter.modelTrees
        // With a limit, the order decides which objects are in the result, and the order can depend
        // on the objects that they link to.
        if selection.limit != nil {
            for item in selection.order.items { models.formUnion(item.path.modelTrees) }
        }
        watchedModels = models
        asksRowsAlone = selection.limit == nil && models.isEmpty
    }

    /// Begins to follow; returns the whole result as the first change.
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

    /// What the next commit changes in the result; the first call returns the whole result.
    mutating func next(waitingAtMost limit: Duration) throws(ObjectError) -> Step {
        guard let changes else { return .changed(try begin()) }
        let event = try ObjectError.ofStore { () throws(BullaError) in
            try changes.next(waitingAtMost: limit)
        }
        return try step(event, changes)
    }

    /// As the synchronous form, but waits without blocking the threads that tasks share.
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
            // The last comparison with a snapshot may already include this commit of the log.
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

    /// If the follower is far behind, goes on reading the log, up to the newest commit.
    private mutating func catchUp(_ changes: StoreChanges) throws(ObjectError) {
        let (store, last) = (database.store, told)
        // Ignores an error: the next wait throws it again, after this commit is reported.
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

    /// Whether a commit may have changed the result.
    ///
    /// - Throws: `schemaChanged` if the commit has changed the schema.
    private func concerns(_ commit: CommittedChanges) throws(ObjectError) -> Bool {
        var isConcerned = false
        for operation in commit {
            guard operation.treeNumber != schemaTree else { throw schemaChanged }
            isConcerned = isConcerned || watchedTrees.contains(operation.treeNumber)
        }
        return isConcerned
    }

    private mutating func touch(_ commit: CommittedChanges) throws(ObjectError) {
        for operation in commit where operation.treeNumber == ownTree {
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
        let nothing = NoObjects(_bindings: bindings)
        return try key.withView { key throws(ObjectError) in
            try row.withView { row throws(ObjectError) in
                try filter.selects(table.object(key, row), of: table, nothing)
            }
        }
    }

    /// Replaces the known result with the result in a snapshot, and records what differs.
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
    /// The models whose objects the filter reaches by links or backlinks.
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
