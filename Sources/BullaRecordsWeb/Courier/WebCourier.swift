package import BullaRecords
internal import Foundation
internal import Synchronization

/// Notifies waiting clients when the databases of a user have changed.
///
/// A client sends a request to the address from `tokens/create`, and gets the answer as soon as
/// something has changed, or when the time for waiting is over. If it asks for events
/// (``CourierEvent``) instead, it gets one for each change, over a single connection. However many
/// clients wait, each place has only one thread that watches the store. Any number of threads can
/// call at once.
package final class WebCourier: Sendable {
    /// A client that waits.
    package struct Waiting: Sendable {
        fileprivate let courier: WebCourier
        fileprivate let key: WaitingClients.Key?

        /// Ends the wait of a client that is gone, by answering it as if nothing had changed.
        package func cancel() {
            guard let key else { return }
            let answer = courier.state.withLock { $0.clients.remove(key) }
            answer?(WebAnswer(CourierNotice.nothing))
        }
    }

    private struct State {
        var clients: WaitingClients
        /// The places that have a watching thread.
        var watched: Set<Place> = []
        var isEnded = false
    }

    /// The longest time that a watching thread sleeps before it checks the deadlines, and whether
    /// it must end.
    private static let step = Duration.milliseconds(200)
    /// The pause of a watching thread after each commit, in seconds.
    ///
    /// It keeps frequent commits from making the thread work all the time.
    private static let rest = 0.05

    private let service: WebService
    private let state: Mutex<State>
    private let threadEnded = NSCondition()

    package init(_ service: WebService) {
        self.service = service
        state = Mutex(State(clients: WaitingClients(service.limits)))
    }

    /// A client that gets events.
    ///
    /// Each connection counts as a client of its own, even if several use the same token.
    package struct Subscriber: Sendable {
        fileprivate let identifier: RandomIdentifier
        /// The longest time without an event or a comment.
        fileprivate let interval: Duration

        package init(interval: Duration) throws(RecordError) {
            identifier = try RandomIdentifier.new()
            self.interval = interval
        }
    }

    /// Adds a waiting client.
    ///
    /// The call may wait for the store, but it does not wait for a change.
    ///
    /// - Parameters:
    ///   - subscriber: the client if it gets events; `nil` for a client that gets one answer.
    ///   - answer: called exactly once, by any thread, possibly before this returns. It must not
    ///     block.
    @discardableResult
    package func ask(
        _ request: WebRequest, as subscriber: Subscriber? = nil,
        answer: @escaping @Sendable (WebAnswer) -> Void
    ) -> Waiting {
        do throws(WebError) {
            let (core, found) = try grant(of: request)
            let token = subscriber?.identifier ?? found.token
            let grant = CourierGrant(token, found.account, mark: found.mark)
            let duration = subscriber?.interval ?? service.limits.courierWait
            let key = try wait(grant, core, for: duration, answer)
            // Reports changes from before the client was added: if the watching thread has looked
            // for them already, it does not look again.
            look(for: [grant.account], core)
            return Waiting(courier: self, key: key)
        } catch {
            answer(service.answer(to: error))
            return Waiting(courier: self, key: nil)
        }
    }

    /// The refusal of a client that may not wait; `nil` if it may.
    package func refusal(of request: WebRequest) -> WebAnswer? {
        do throws(WebError) {
            _ = try grant(of: request)
            return nil
        } catch { return service.answer(to: error) }
    }

    /// Answers all waiting clients as if nothing had changed, and accepts no more clients.
    ///
    /// It blocks until no thread watches the store. After that, the store can be closed.
    package func end() {
        let answers = state.withLock { state in
            state.isEnded = true
            return state.clients.removeAll()
        }
        for answer in answers { answer(WebAnswer(CourierNotice.nothing)) }
        threadEnded.lock()
        while state.withLock({ !$0.watched.isEmpty }) { threadEnded.wait() }
        threadEnded.unlock()
    }

    private func grant(
        of request: WebRequest
    ) throws(WebError) -> (core: RecordCore, grant: CourierGrant) {
        let target = try TicketTarget(request.target, .courier)
        guard request.method == "GET" else { throw .method("an address of tokens/create", ["GET"]) }
        let core = try service.core(of: target)
        let body: [UInt8]
        do throws(WebTickets.Fault) {
            body = try WebTickets(core, service.clock).body(.courier, target.ticket)
        } catch { throw WebError(error) }
        guard let grant = CourierGrant(body) else { throw WebError(.foreign) }
        return (core, grant)
    }

    private func wait(
        _ grant: CourierGrant, _ core: RecordCore, for duration: Duration,
        _ answer: @escaping WaitingClients.Answer
    ) throws(WebError) -> WaitingClients.Key {
        let deadline = ContinuousClock.now + duration
        let (key, former, isFirst) = try state.withLock { state throws(WebError) in
            guard !state.isEnded else {
                throw WebError(
                    .tryAgainLater, "wait for changes: the service is ending", retryAfter: 1)
            }
            let (key, former) = try state.clients.add(
                grant, in: core.place, until: deadline, answer)
            return (key, former, state.watched.insert(core.place).inserted)
        }
        for answer in former { answer(WebAnswer(CourierNotice.nothing)) }
        if isFirst { Thread.detachNewThread { [self] in watch(core) } }
        return key
    }

    /// Notifies clients that have not seen the present state of these accounts' databases.
    private func look(for accounts: Set<AccountIdentifier>, _ core: RecordCore) {
        for account in accounts {
            do throws(RecordError) {
                let mark = try core.changeMark(of: account)
                let answers = state.withLock {
                    $0.clients.notice(account, in: core.place, mark: mark)
                }
                for answer in answers { answer(WebAnswer(CourierNotice.changed(core.place))) }
            } catch {
                let answers = state.withLock {
                    $0.clients.remove(in: core.place) { $0.grant.account == account }
                }
                for answer in answers { answer(service.answer(to: WebError(error))) }
            }
        }
    }

    /// Watches the store for as long as any clients wait.
    private func watch(_ core: RecordCore) {
        var last: UInt64 = 0
        while let timeout = nextTimeout(core.place) {
            do throws(RecordError) {
                if let commit = try core.waitForCommit(after: last, timeout: timeout) {
                    last = commit
                    look(for: state.withLock { $0.clients.accounts(in: core.place) }, core)
                    Thread.sleep(forTimeInterval: Self.rest)
                }
                answer(core.place, WebAnswer(CourierNotice.nothing)) {
                    $0.deadline <= ContinuousClock.now
                }
            } catch {
                answer(core.place, service.answer(to: WebError(error))) { _ in true }
            }
        }
    }

    private func answer(
        _ place: Place, _ answer: WebAnswer, where isTold: (WaitingClients.Client) -> Bool
    ) {
        let answers = state.withLock { $0.clients.remove(in: place, where: isTold) }
        for tell in answers { tell(answer) }
    }

    /// How long the watching thread may sleep; `nil` if it must end.
    private func nextTimeout(_ place: Place) -> Duration? {
        let deadline = state.withLock { state -> ContinuousClock.Instant? in
            if !state.isEnded, let deadline = state.clients.deadline(in: place) { return deadline }
            state.watched.remove(place)
            return nil
        }
        guard let deadline else {
            threadEnded.lock()
            threadEnded.broadcast()
            threadEnded.unlock()
            return nil
        }
        return max(.zero, min(Self.step, ContinuousClock.now.duration(to: deadline)))
    }
}

extension WebCourier: Untold {
    package var description: String { "a courier" }
}
