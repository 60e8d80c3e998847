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
/// query's order, the keys of all the selected objects are in memory, too.
///
/// The elements are objects, or, for a sealed model, unopened ``SealedObject``s.
public struct ObjectSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let begin: @Sendable () throws(ObjectError) -> ObjectCourse<Element>

    init(_ begin: @escaping @Sendable () throws(ObjectError) -> ObjectCourse<Element>) {
        self.begin = begin
    }

    /// An iterator, which reads the commit that is the newest when `next()` is first called.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(begin) }

    /// Iterates over the objects.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let begin: @Sendable () throws(ObjectError) -> ObjectCourse<Element>
        private var course: ObjectCourse<Element>?
        private var objects: ArraySlice<Element> = []

        fileprivate init(
            _ begin: @escaping @Sendable () throws(ObjectError) -> ObjectCourse<Element>
        ) { self.begin = begin }

        /// The next object; `nil` after the last one.
        ///
        /// If the task is cancelled, the iterator still returns the objects that are in memory, and
        /// then `nil`.
        ///
        /// - Throws: `schemaChanged`, `damaged`, `unknownValue`, `store`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ObjectError) -> Element? {
            if objects.isEmpty {
                guard !Task.isCancelled else { return nil }
                let (begin, former) = (begin, course)
                let (course, page) = try await ObjectDatabase.queue.run {
                    () throws(ObjectError) -> (ObjectCourse<Element>, [Element]) in
                    let course = if let former { former } else { try begin() }
                    return (course, try course.page())
                }
                (self.course, objects) = (course, page[...])
            }
            return objects.popFirst()
        }

        /// The next object.
        public mutating func next() async throws(ObjectError) -> Element? {
            try await next(isolation: nil)
        }
    }
}

extension ObjectDatabase {
    /// The objects that a query selects, one after the other.
    public func objects<M: Model>(
        of query: Query<M>, visibility: SnapshotVisibility = .durable
    ) -> ObjectSequence<M> {
        ObjectSequence<M> { () throws(ObjectError) -> ObjectCourse<M> in
            try ObjectCourse<M>(query, self.makeSnapshot(visibility: visibility)) {
                object, binding, bindings throws(ObjectError) -> M in
                try M(object, binding, bindings)
            }
        }
    }

    /// The objects that a query selects from a sealed model, one after the other, unopened.
    ///
    /// If you ask for an `ObjectSequence<Login>` instead, the sequence opens the objects.
    public func objects<M: SealedModel>(
        of query: Query<M>, visibility: SnapshotVisibility = .durable
    ) -> ObjectSequence<SealedObject<M>> {
        ObjectSequence<SealedObject<M>> { () throws(ObjectError) -> ObjectCourse<SealedObject<M>> in
            try ObjectCourse<SealedObject<M>>(query, self.makeSnapshot(visibility: visibility)) {
                object, binding, bindings throws(ObjectError) -> SealedObject<M> in
                SealedObject<M>(object, binding, bindings)
            }
        }
    }
}

/// A snapshot, and the progress of reading a query's result from it.
final class ObjectCourse<Element: Sendable>: Sendable {
    /// Makes an element from an object as the store holds it.
    typealias Make =
        @Sendable (ObjectBytes, TypeBinding, _ObjectBindings) throws(ObjectError) -> Element

    private let snapshot: ObjectSnapshot
    private let binding: TypeBinding
    private let run: SelectionRun
    private let course: Mutex<SelectionCourse>
    private let make: Make
    private static var pageCount: Int { 64 }

    init<M: Model>(
        _ query: Query<M>, _ snapshot: consuming ObjectSnapshot, _ make: @escaping Make
    ) throws(ObjectError) {
        let bindings = snapshot.bindings
        binding = try bindings.model(M.modelName)
        guard let table = binding.table else {
            throw ObjectError(.invalidModel, "read \(M.modelName): it is no model")
        }
        run = SelectionRun(try query.bound(to: bindings), of: table, in: bindings.tables)
        course = Mutex(try run.begin(snapshot))
        self.make = make
        self.snapshot = snapshot
    }

    /// The next elements; empty after the last one.
    func page() throws(ObjectError) -> [Element] {
        try course.withLock { course throws(ObjectError) in
            var elements: [Element] = []
            guard !course.isOver else { return elements }
            try run.advance(&course, snapshot) { object throws(ObjectError) in
                elements.append(try make(object, binding, snapshot.bindings))
                return elements.count < Self.pageCount ? .next : .stop
            }
            return elements
        }
    }
}
