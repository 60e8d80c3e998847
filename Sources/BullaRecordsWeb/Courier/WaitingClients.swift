import BullaRecords

/// The clients that wait for changes, and what was told to whom.
///
/// What a token was told last is remembered, so that a change between two requests is told to the
/// second; where it was forgotten, a client is told once more than needed.
struct WaitingClients {
    typealias Answer = @Sendable (WebAnswer) -> Void

    struct Client {
        let grant: CourierGrant
        /// The mark of the databases as the client has seen them.
        let seen: [UInt8]
        let deadline: ContinuousClock.Instant
        let answer: Answer
    }

    /// Names a client that waits.
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

    /// Lets a client wait.
    ///
    /// - Returns: its key; and who waited with the same token, and is to be told that there is
    ///   nothing: a client that asks again has given up on what it asked before.
    /// - Throws: ``WebError`` where too many wait.
    mutating func add(
        _ grant: CourierGrant, in place: Place, until deadline: ContinuousClock.Instant,
        _ answer: @escaping Answer
    ) throws(WebError) -> (key: Key, former: [Answer]) {
        // Where there was one, there is room: it is told in any case.
        let former = remove(in: place) { $0.grant.token == grant.token }
        let ofAccount = clients[place]?.values.count { $0.grant.account == grant.account } ?? 0
        guard ofAccount < limits.accountWaiterCount else {
            throw WebError(
                .throttled, "wait for changes: too many of this user's clients do", retryAfter: 30)
        }
        guard count < limits.waiterCount else {
            throw WebError(.tryAgainLater, "wait for changes: too many do", retryAfter: 30)
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

    /// Takes those out for whom something is so.
    mutating func remove(in place: Place, where isTaken: (Client) -> Bool) -> [Answer] {
        let taken = clients[place]?.filter { isTaken($0.value) } ?? [:]
        for number in taken.keys { clients[place]?[number] = nil }
        return taken.values.map(\.answer)
    }

    mutating func removeAll() -> [Answer] {
        defer { clients = [:] }
        return clients.values.flatMap { $0.values.map(\.answer) }
    }

    /// Takes those out who have not seen what an account's databases are now.
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

    /// Whose databases clients wait for.
    func accounts(in place: Place) -> Set<AccountIdentifier> {
        Set((clients[place] ?? [:]).values.map(\.grant.account))
    }

    /// When the first of them has waited for long enough.
    func deadline(in place: Place) -> ContinuousClock.Instant? {
        clients[place]?.values.map(\.deadline).min()
    }
}
