#if PostgreSQL
internal import Dispatch
internal import Synchronization

/// A bounded number of connections to one database, each lent to one caller at a time.
final class ConnectionPool: Sendable {
    private struct State {
        /// Connections that are not lent; the last one was used most recently.
        var idle: [Connection] = []
        var waiterCount = 0
    }

    private let address: DatabaseAddress
    private let waiterLimit: Int
    private let state = Mutex(State())
    /// Counts the connections that may still be lent.
    private let turns = DispatchSemaphore(value: 0)
    /// Looks at each new connection, and throws to refuse its server.
    private let examine: @Sendable (Connection) throws(StatementFailure) -> Void

    /// - Parameters:
    ///   - connectionLimit: the maximum number of connections.
    ///   - waiterLimit: how many callers may wait for a connection; further callers fail at once.
    init(
        _ address: DatabaseAddress, connectionLimit: Int, waiterLimit: Int,
        examine: @escaping @Sendable (Connection) throws(StatementFailure) -> Void
    ) {
        self.address = address
        self.waiterLimit = waiterLimit
        self.examine = examine
        // A semaphore must not be destroyed while it is below its initial value. So it begins at 0,
        // and these calls raise it.
        for _ in 0..<max(connectionLimit, 1) { turns.signal() }
    }

    /// Lends a connection, a new one if none is idle.
    func lend<R>(
        _ body: (Connection) throws(StatementFailure) -> R
    ) throws(StatementFailure) -> R {
        try awaitTurn()
        defer { turns.signal() }
        let idle = idleConnection()
        let connection = if let idle { idle } else { try newConnection() }
        defer { takeBack(connection) }
        return try body(connection)
    }

    private func awaitTurn() throws(StatementFailure) {
        guard turns.wait(timeout: .now()) == .timedOut else { return }
        let isAdmitted = state.withLock { state in
            guard state.waiterCount < waiterLimit else { return false }
            state.waiterCount += 1
            return true
        }
        guard isAdmitted else { throw .lost("\(waiterLimit) callers wait for a connection") }
        let end = turns.wait(timeout: .now() + .seconds(address.secondLimit))
        state.withLock { $0.waiterCount -= 1 }
        guard end == .success else { throw .lost("no connection is free") }
    }

    private func idleConnection() -> Connection? { state.withLock { $0.idle.popLast() } }

    private func newConnection() throws(StatementFailure) -> Connection {
        let connection = try Connection(address)
        try examine(connection)
        return connection
    }

    /// Takes a connection back; if it was lost, drops the idle ones as well: they lead to the same
    /// server, which has probably restarted.
    private func takeBack(_ connection: Connection) {
        let gone = state.withLock { state -> [Connection] in
            if connection.isUsable {
                state.idle.append(connection)
                return []
            }
            defer { state.idle = [] }
            return state.idle
        }
        // The dropped connections are closed here, outside the lock.
        _ = gone
    }
}
#endif
