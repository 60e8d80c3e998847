internal import Bulla

/// What becomes of the objects that a query asks for, told as commits change it, of whichever
/// process.
///
/// The first element says how it is when the stream begins. Each further one says what the next
/// commit has changed, and comes once that is durable. Nothing is left out and nothing is told
/// twice; a reader that is more than 64 commits behind gets what they have changed in one element.
///
/// Each iterator begins anew, and is used by one task or thread at a time. While nothing happens,
/// it sleeps. It ends when its task is cancelled, or when it has thrown an error: after
/// `schemaChanged`, open the database again and begin another.
///
/// - Complexity: of memory, the key and some 50 bytes for each object of the result, and the rows
///   that a commit has changed. Where the condition looks at an object's own properties, a commit
///   costs a look at the rows that it has put. Where it follows links, or the query has a limit,
///   the query is answered anew after each commit that can change its result, and all rows of the
///   result are in memory for that time.
public struct ObjectStream<Element: Sendable>: AsyncSequence, Sendable {
    /// What an element says of changes, and of the element before; `nil` where it says nothing new.
    typealias Transform =
        @Sendable (RowChanges, Element?, ObjectBindings) throws(ObjectError) -> Element?

    private let begin: @Sendable () throws(ObjectError) -> QueryFollower
    private let transform: Transform

    init(
        _ begin: @escaping @Sendable () throws(ObjectError) -> QueryFollower,
        _ transform: @escaping Transform
    ) {
        (self.begin, self.transform) = (begin, transform)
    }

    /// An iterator, which begins with how it is when it is first asked.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Goes through what is told.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let stream: ObjectStream
        private var follower: QueryFollower?
        private var last: Element?
        private var isOver = false
        /// How long one wait takes; then the next one begins.
        private static var limit: Duration { .seconds(3600) }

        fileprivate init(_ stream: ObjectStream) { self.stream = stream }

        /// The next element; `nil` when the task was cancelled, within a fifth of a second.
        ///
        /// - Throws: `schemaChanged` where another program has changed the schema; `damaged`,
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
        /// - Parameter limit: how long it waits at most; asked not to wait, it tells what is there.
        /// - Returns: `nil` where nothing came in that time.
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

        /// The follower, of which nobody else has a copy: it would be copied as it changes.
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
