#if PostgreSQL
internal import CPostgreSQL
internal import Glibc

/// A connection to a server, for one thread at a time.
///
/// No call waits longer than the limit in the address: if the server does not answer in time, the
/// call fails.
@safe final class Connection: @unchecked Sendable {
    private let handle: OpaquePointer
    let secondLimit: Int
    private let preparesStatements: Bool
    private var prepared: Set<String> = []
    /// Whether it can run another statement.
    private(set) var isUsable = true

    init(_ address: DatabaseAddress) throws(StatementFailure) {
        ClientEnvironment.clear()
        secondLimit = address.secondLimit
        preparesStatements = address.preparesStatements
        unsafe handle = try Self.begin(address.parameters)
        // The object is complete now, so if this throws, its deinitializer closes the connection.
        try unsafe Self.finish(handle, by: .now + .seconds(secondLimit))
    }

    // SAFETY: here and below, the handle is ours from the beginning to the end of this object, and
    // one thread at a time uses it.
    deinit { unsafe PQfinish(handle) }

    /// Runs one statement.
    func run(
        _ statement: Statement, _ parameters: [Parameter] = []
    ) throws(StatementFailure) -> QueryResult {
        try usably { () throws(StatementFailure) in
            let deadline = ContinuousClock.now + .seconds(secondLimit)
            if preparesStatements, !prepared.contains(statement.name) {
                try prepare(statement, parameters, by: deadline)
            }
            try send(statement, parameters)
            return try answer(by: deadline)
        }
    }

    /// Runs statements without parameters, one after the other.
    @discardableResult
    func run(script: String) throws(StatementFailure) -> QueryResult {
        try usably { () throws(StatementFailure) in
            guard unsafe PQsendQuery(handle, script) == 1 else { throw lost() }
            return try answer(by: .now + .seconds(secondLimit))
        }
    }

    /// Runs a call, and notes whether the connection survives it.
    private func usably<R>(
        _ body: () throws(StatementFailure) -> R
    ) throws(StatementFailure) -> R {
        do throws(StatementFailure) { return try body() } catch {
            switch error {
            case .rejected(let state, _):
                // In these states, the server ends the connection, or no longer accepts changes.
                isUsable = isUsable && !state.hasPrefix("57P") && state != "25006"
            case .lost, .unknownOutcome, .malformed: isUsable = false
            case .stopped: break
            }
            throw error
        }
    }

    private func prepare(
        _ statement: Statement, _ parameters: [Parameter], by deadline: ContinuousClock.Instant
    ) throws(StatementFailure) {
        let types = parameters.map(\.type)
        guard
            unsafe PQsendPrepare(
                handle, statement.name, statement.text, Int32(types.count), types) == 1
        else { throw lost() }
        _ = try answer(by: deadline)
        prepared.insert(statement.name)
    }

    private func send(
        _ statement: Statement, _ parameters: [Parameter]
    ) throws(StatementFailure) {
        // One more byte follows the values, so that the last of them has an address even if it is
        // empty.
        var bytes: [UInt8] = []
        var starts: [Int] = []
        for parameter in parameters {
            starts.append(bytes.count)
            parameter.append(to: &bytes)
        }
        let lengths = zip(starts, starts.dropFirst() + [bytes.count]).map { Int32($1 - $0) }
        bytes.append(0)
        let formats = [Int32](repeating: 1, count: parameters.count)
        // SAFETY: the library copies everything before the call returns.
        let isSent = unsafe bytes.withUnsafeBytes { buffer in
            let base = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values: [UnsafePointer<CChar>?] = unsafe starts.map {
                unsafe base?.advanced(by: $0)
            }
            let count = Int32(parameters.count)
            guard !preparesStatements else {
                return unsafe PQsendQueryPrepared(
                    handle, statement.name, count, values, lengths, formats, 1)
            }
            return unsafe PQsendQueryParams(
                handle, statement.text, count, parameters.map(\.type), values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
    }

    /// Sends what is left to be sent, and waits for the result of the last statement.
    private func answer(
        by deadline: ContinuousClock.Instant
    ) throws(StatementFailure) -> QueryResult {
        while true {
            let code = unsafe PQflush(handle)
            guard code >= 0 else { throw lost() }
            guard code == 1 else { break }
            // Perhaps the server reads nothing more until we have read what it has sent.
            try wait(for: POLLIN | POLLOUT, by: deadline)
            guard unsafe PQconsumeInput(handle) == 1 else { throw lost() }
        }
        var last: QueryResult?
        var failure: StatementFailure?
        while true {
            while unsafe PQisBusy(handle) == 1 {
                try wait(for: POLLIN, by: deadline)
                guard unsafe PQconsumeInput(handle) == 1 else { throw lost() }
            }
            guard let next = unsafe PQgetResult(handle) else { break }
            let result = unsafe QueryResult(next)
            let status = unsafe PQresultStatus(next)
            if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK {
                last = result
            } else {
                failure = unsafe failure ?? self.failure(next)
            }
            guard status != PGRES_COPY_IN, status != PGRES_COPY_OUT else { break }
        }
        if let failure { throw failure }
        guard let last else { throw lost() }
        return last
    }

    private func failure(_ result: OpaquePointer) -> StatementFailure {
        // SAFETY: the texts are the result's own, and end with a zero.
        guard unsafe PQstatus(handle) == CONNECTION_OK,
            let state = unsafe PQresultErrorField(result, bulla_pg_sqlstate)
        else { return lost() }
        let message = unsafe PQresultErrorField(result, bulla_pg_message)
        return unsafe .rejected(
            state: String(cString: state),
            message: message.map { unsafe String(cString: $0) } ?? "")
    }

    private func lost() -> StatementFailure { unsafe .lost(Self.message(handle)) }

    private func wait(
        for events: Int32, by deadline: ContinuousClock.Instant
    ) throws(StatementFailure) {
        try unsafe Self.wait(handle, for: events, by: deadline)
    }
}

extension Connection {
    private static func begin(
        _ parameters: [(name: String, value: String)]
    ) throws(StatementFailure) -> OpaquePointer {
        let names = unsafe parameters.map { unsafe strdup($0.name) }
        let values = unsafe parameters.map { unsafe strdup($0.value) }
        // SAFETY: the copies are ours, and the library makes its own.
        defer { unsafe (names + values).forEach { unsafe free($0) } }
        let keywords: [UnsafePointer<CChar>?] =
            unsafe names.map { unsafe UnsafePointer($0) } + [nil]
        let contents: [UnsafePointer<CChar>?] =
            unsafe values.map { unsafe UnsafePointer($0) } + [nil]
        guard let handle = unsafe PQconnectStartParams(keywords, contents, 0) else {
            throw .lost("connect: no memory")
        }
        // The library would print a server's notices to standard error, between the log's lines.
        _ = unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
        return unsafe handle
    }

    private static func finish(
        _ handle: OpaquePointer, by deadline: ContinuousClock.Instant
    ) throws(StatementFailure) {
        guard unsafe PQstatus(handle) != CONNECTION_BAD else {
            throw unsafe .lost(message(handle))
        }
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            try unsafe wait(
                handle, for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, by: deadline)
            state = unsafe PQconnectPoll(handle)
            guard state != PGRES_POLLING_FAILED else { throw unsafe .lost(message(handle)) }
        }
        // From now on, a call can return before it has sent everything; `answer` sends the rest.
        guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw unsafe .lost(message(handle)) }
    }

    private static func wait(
        _ handle: OpaquePointer, for events: Int32, by deadline: ContinuousClock.Instant
    ) throws(StatementFailure) {
        while true {
            let left = deadline - .now
            guard left > .zero else { throw .lost("the server does not answer") }
            let (seconds, attoseconds) = left.components
            let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
            var socket = unsafe pollfd(
                fd: PQsocket(handle), events: Int16(events), revents: 0)
            // SAFETY: one structure, read and written during the call.
            let code = unsafe poll(&socket, 1, Int32(min(milliseconds, 1_000)))
            guard code <= 0 else { return }
            guard code == 0 || errno == EINTR else { throw .lost("wait: error \(errno)") }
        }
    }

    /// The library's last message, in one line.
    ///
    /// It names hosts and users, and no password.
    private static func message(_ handle: OpaquePointer) -> String {
        // SAFETY: the text is the connection's own, and ends with a zero.
        let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline)
        return lines.isEmpty ? "the connection was lost" : lines.joined(separator: "; ")
    }
}
#endif
