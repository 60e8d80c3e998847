import BullaRecords

/// The clients that wait for changes, and the state that each token's last notice reported.
///
/// Because of that state, a client that asks again also learns of the changes between its two
/// requests. If that state has been forgotten, the client may get one notice too many.
struct WaitingClients {
    typealias Answer = @Sendable (WebAnswer) -> Void

    struct Client {
        let grant: CourierGrant
        /// The mark of the state of the databases that the client has seen.
        let seen: [UInt8]
        let deadline: ContinuousClock.Instant
        let answer: Answer
    }

    /// Identifies a waiting client.
    struct Key: Hashable {
        let place: Place
        let number: UInt64
    }

    private var clients: [Place: [UInt64: Client]] = [:]
    private var told: [RandomIdentifier: [UInt8]] = [:]
    private var lastNumber: UInt64 = 0
    private let limits: WebLimits

    init(_ limits: WebLimits) { self.limits = limits }

    private var count: Int { clients.values.reduce(0) { $0 + $1.count } }

    func isEmpty(_ place: Place) -> Bool { clients[place]?.isEmpty ?? true }

    /// Adds a waiting client.
    ///
    /// - Returns: the client's key, and the closures that answer earlier requests with the same
    ///   token. By asking again, the client has given up those requests, so the caller must answer
    ///   them as if nothing had changed.
    /// - Throws: ``WebError`` if too many clients are waiting.
    mutating func add(
        _ grant: CourierGrant, in place: Place, until deadline: ContinuousClock.Instant,
        _ answer: @escaping Answer
    ) throws(WebError) -> (key: Key, former: [Answer]) {
        // A removed client makes room for the new one. So if any was removed, none of the errors
        // below is thrown, and the caller gets the closures that it must call.
        let former = remove(in: place) { $0.grant.token == grant.token }
        let ofAccount = clients[place]?.values.count { $0.grant.account == grant.account } ?? 0
        guard ofAccount < limits.accountWaiterCount else {
            throw WebError(
                .throttled, "wait for changes: too many of the user's clients wait", retryAfter: 30)
        }
        guard count < limits.waiterCount else {
            throw WebError(
                .tryAgainLater, "wait for changes: too many clients wait", retryAfter: 30)
        }
        lastNumber += 1
        clients[place, default: [:]][lastNumber] = Client(
            grant: grant, seen: told[grant.token] ?? grant.mark, deadline: deadline,
            answer: answer)
        return (Key(place: place, number: lastNumber), former)
    }

    mutating func remove(_ key: Key) -> Answer? {
        clients[key.place]?.removeValue(forKey: key.number)?.answer
    }

    /// Removes the clients that meet a condition, and returns the closures that answer them.
    mutating func remove(in place: Place, where isTaken: (Client) -> Bool) -> [Answer] {
        let taken = clients[place]?.filter { isTaken($0.value) } ?? [:]
        for number in taken.keys { clients[place]?[number] = nil }
        return taken.values.map(\.answer)
    }

    mutating func removeAll() -> [Answer] {
        defer { clients = [:] }
        return clients.values.flatMap { $0.values.map(\.answer) }
    }

    /// Removes the clients that have not seen the present state of an account's databases, and
    /// returns the closures that answer them.
    mutating func notice(
        _ account: AccountIdentifier, in place: Place, mark: [UInt8]
    ) -> [Answer] {
        for client in (clients[place] ?? [:]).values
        where client.grant.account == account && client.seen != mark {
            if told.count >= limits.toldTokenCount { told = [:] }
            told[client.grant.token] = mark
        }
        return remove(in: place) { $0.grant.account == account && $0.seen != mark }
    }

    /// The accounts whose changes clients are waiting for.
    func accounts(in place: Place) -> Set<AccountIdentifier> {
        Set((clients[place] ?? [:]).values.map(\.grant.account))
    }

    /// The earliest deadline of the waiting clients.
    func deadline(in place: Place) -> ContinuousClock.Instant? {
        clients[place]?.values.map(\.deadline).min()
    }
}
