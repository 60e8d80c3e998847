internal import Bulla

/// A stream of the changes that the commits of any process make to a query's result.
///
/// The first element describes the result as it is when an iterator's `next()` is first called.
/// Each further element describes the changes of the next commit that affects the result. It comes
/// after that commit has become durable. If the reader falls more than 64 commits behind, one
/// element can describe several commits together. If the condition follows links, or the query has
/// a limit, an element can describe any number of commits together. Such an element says how the
/// result after all of them differs from the result before them. The stream never reports a change
/// twice.
///
/// Each iterator begins with a first element of its own. Only one task or thread can use an
/// iterator at a time. An iterator sleeps until there is a commit to look at. It ends when its task
/// is cancelled, or when it has thrown an error. After `schemaChanged`, open the database again and
/// begin another stream.
///
/// - Complexity: memory for the rows that a commit has changed. Each object in the result also
///   takes memory for its key and some 50 bytes more. If the condition looks only at an object's
///   own properties, Bulla tests the rows that each commit has written. If the condition follows
///   links, or the query has a limit, Bulla answers the query anew after each commit that can
///   change its result, and keeps all rows of the new result in memory until it has compared them
///   with the former result.
public struct ObjectStream<Element: Sendable>: AsyncSequence, Sendable {
    /// Makes an element from the changes and the previous element; returns `nil` if nothing is new.
    typealias Transform =
        @Sendable (RowChanges, Element?, _ObjectBindings) throws(ObjectError) -> Element?

    private let begin: @Sendable () throws(ObjectError) -> QueryFollower
    private let transform: Transform

    init(
        _ begin: @escaping @Sendable () throws(ObjectError) -> QueryFollower,
        _ transform: @escaping Transform
    ) {
        (self.begin, self.transform) = (begin, transform)
    }

    /// An iterator, whose first element describes the result as it is when `next()` is first
    /// called.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Iterates over the elements of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let stream: ObjectStream
        private var follower: QueryFollower?
        private var last: Element?
        private var isOver = false
        /// The longest single wait; after it, the iterator waits again.
        private static var limit: Duration { .seconds(3600) }

        fileprivate init(_ stream: ObjectStream) { self.stream = stream }

        /// The next element; `nil` after an error, or once the task is cancelled.
        ///
        /// A call that is waiting returns within a fifth of a second after the task is cancelled.
        ///
        /// - Throws: `schemaChanged` if another program has changed the schema; `damaged`,
        ///   `unknownValue`, `store`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ObjectError) -> Element? {
            while !isOver, !Task.isCancelled {
                do throws(ObjectError) {
                    var follower = try takeFollower()
                    let step = try await follower.next(
                        waitingAtMost: Self.limit, isolation: actor)
                    self.follower = follower
                    if let element = try element(of: step, follower) { return element }
                } catch {
                    throw ended(error)
                }
            }
            return nil
        }

        /// The next element.
        public mutating func next() async throws(ObjectError) -> Element? {
            try await next(isolation: nil)
        }

        /// The next element, for programs without tasks; blocks the thread.
        ///
        /// - Parameter limit: the longest time to wait; with zero, the call does not wait.
        /// - Returns: `nil` if nothing came in that time, or the iterator has ended.
        /// - Throws: as the asynchronous form.
        public mutating func next(
            waitingAtMost limit: Duration
        ) throws(ObjectError) -> Element? {
            let deadline = ContinuousClock.now + limit
            while !isOver {
                do throws(ObjectError) {
                    var follower = try takeFollower()
                    let rest = Swift.max(deadline - ContinuousClock.now, .zero)
                    let step = try follower.next(waitingAtMost: rest)
                    self.follower = follower
                    if case .overdue = step { return nil }
                    if let element = try element(of: step, follower) { return element }
                } catch {
                    throw ended(error)
                }
            }
            return nil
        }

        /// Takes the follower out of the iterator, or makes a new one.
        ///
        /// If the iterator kept a second reference to what the follower knows, the follower would
        /// have to copy all of that before it could change any of it.
        private mutating func takeFollower() throws(ObjectError) -> QueryFollower {
            guard let follower = follower.take() else { return try stream.begin() }
            return follower
        }

        private mutating func element(
            of step: QueryFollower.Step, _ follower: QueryFollower
        ) throws(ObjectError) -> Element? {
            guard case .changed(let changes) = step else { return nil }
            let element = try stream.transform(changes, last, follower.bindings)
            if let element { last = element }
            return element
        }

        private mutating func ended(_ error: ObjectError) -> ObjectError {
            isOver = true
            follower = nil
            return error
        }
    }
}
