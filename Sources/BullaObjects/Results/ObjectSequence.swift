public import Bulla
internal import Synchronization

/// The objects that a query selects, one after the other, in its order.
///
/// ```swift
/// for try await employee in database.objects(of: Employee.where { $0.age > 60 }) {
///     print(employee.name)
/// }
/// ```
///
/// Each iterator reads the commit that is the newest when `next()` is first called, and holds that
/// commit until the iterator ends. A few dozen objects are in memory at a time. If no index has the
/// query's order, the keys of all the selected objects are, too.
public struct ObjectSequence<M: Model>: AsyncSequence, Sendable {
    private let begin: @Sendable () throws(ObjectError) -> ObjectCourse<M>

    init(_ begin: @escaping @Sendable () throws(ObjectError) -> ObjectCourse<M>) {
        self.begin = begin
    }

    /// An iterator, which reads the commit that is the newest when `next()` is first called.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(begin) }

    /// Iterates over the objects.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let begin: @Sendable () throws(ObjectError) -> ObjectCourse<M>
        private var course: ObjectCourse<M>?
        private var objects: ArraySlice<M> = []

        fileprivate init(_ begin: @escaping @Sendable () throws(ObjectError) -> ObjectCourse<M>) {
            self.begin = begin
        }

        /// The next object; `nil` after the last one, and when the task is cancelled.
        ///
        /// - Throws: `schemaChanged`, `damaged`, `unknownValue`, `store`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ObjectError) -> M? {
            if objects.isEmpty {
                guard !Task.isCancelled else { return nil }
                let (begin, former) = (begin, course)
                let (course, page) = try await ObjectDatabase.queue.run {
                    () throws(ObjectError) -> (ObjectCourse<M>, [M]) in
                    let course = if let former { former } else { try begin() }
                    return (course, try course.page())
                }
                (self.course, objects) = (course, page[...])
            }
            return objects.popFirst()
        }

        /// The next object.
        public mutating func next() async throws(ObjectError) -> M? {
            try await next(isolation: nil)
        }
    }
}

extension ObjectDatabase {
    /// The objects that a query selects, one after the other.
    public func objects<M: Model>(
        of query: Query<M>, visibility: SnapshotVisibility = .durable
    ) -> ObjectSequence<M> {
        ObjectSequence { () throws(ObjectError) in
            try ObjectCourse(query, self.makeSnapshot(visibility: visibility))
        }
    }
}

/// A snapshot, and the progress of reading a query's result from it.
final class ObjectCourse<M: Model>: Sendable {
    private let snapshot: ObjectSnapshot
    private let binding: TypeBinding
    private let run: SelectionRun
    private let course: Mutex<SelectionCourse>
    private static var pageCount: Int { 64 }

    init(_ query: Query<M>, _ snapshot: consuming ObjectSnapshot) throws(ObjectError) {
        let bindings = snapshot.bindings
        binding = try bindings.model(M.modelName)
        guard let table = binding.table else {
            throw ObjectError(.invalidModel, "read \(M.modelName): it is no model")
        }
        run = SelectionRun(try query.bound(to: bindings), of: table, in: bindings.tables)
        course = Mutex(try run.begin(snapshot))
        self.snapshot = snapshot
    }

    /// The next objects; empty after the last one.
    func page() throws(ObjectError) -> [M] {
        try course.withLock { course throws(ObjectError) in
            var objects: [M] = []
            guard !course.isOver else { return objects }
            try run.advance(&course, snapshot) { object throws(ObjectError) in
                objects.append(try M(object, binding, snapshot.bindings))
                return objects.count < Self.pageCount ? .next : .stop
            }
            return objects
        }
    }
}
