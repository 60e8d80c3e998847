import BullaRecords

/// Answers the requests of CloudKit's web service; any number of threads can call it at once.
///
/// It has no socket: a server passes each request to it, and sends the answer that it returns. No
/// error message, and so no log, contains a request's query, a token, a signature or the value of a
/// field.
package struct WebService: Sendable {
    /// The time in milliseconds since 1970.
    package typealias Clock = @Sendable () -> Int64

    let doors: ServiceDoors
    let address: ServiceAddress
    let limits: WebLimits
    let replays: ReplayMemory
    let rates: RateLimiter?
    let clock: Clock

    /// - Parameter rates: limits how often each user, server or program can send requests; `nil`
    ///   for no limit.
    package init(
        _ doors: ServiceDoors, at address: ServiceAddress, limits: WebLimits = WebLimits(),
        replays: ReplayMemory = ReplayMemory(), rates: RateLimiter? = nil,
        clock: @escaping Clock
    ) {
        (self.doors, self.address, self.limits) = (doors, address, limits)
        (self.replays, self.rates, self.clock) = (replays, rates, clock)
    }

    /// Answers a request; an error becomes an answer, too.
    ///
    /// It blocks while it waits for the store.
    package func answer(_ request: WebRequest) -> WebAnswer {
        let target: RequestTarget
        do throws(WebError) { target = try RequestTarget(request.target) } catch {
            return failed(error)
        }
        if let refusal = refusal(of: request, target) { return refusal }
        let caller: WebCaller
        do throws(WebError) {
            caller = try self.caller(of: request, target)
            try checkRate(of: caller, target)
        } catch { return failed(error, target) }
        var answer: WebAnswer
        do throws(WebError) {
            answer = WebAnswer(try body(request, target, caller))
        } catch {
            answer = failed(error, target)
        }
        if let token = caller.freshToken {
            answer.headers.append(WebHeader(WebToken.header, token))
        }
        return answer
    }

    /// - Throws: `throttled` for a caller that sends requests too often.
    private func checkRate(of caller: WebCaller, _ target: RequestTarget) throws(WebError) {
        guard let seconds = rates?.wait(for: caller.name, now: clock()) else { return }
        throw WebError(.throttled, "too many requests came at once", retryAfter: seconds)
    }

    /// The refusal of a request that would be wrong from any caller; `nil` for any other request.
    private func refusal(of request: WebRequest, _ target: RequestTarget) -> WebAnswer? {
        let takesGET = target.operation.takesGET
        guard request.method == "POST" || takesGET && request.method == "GET" else {
            return answer(
                to: .method(target.operation.rawValue, takesGET ? ["GET", "POST"] : ["POST"]))
        }
        guard request.body.count <= limits.requestByteCount else {
            return answer(
                to: WebError(
                    .badRequest,
                    "the request has more than \(limits.requestByteCount) bytes", status: 413))
        }
        return nil
    }

    private func failed(_ error: WebError, _ target: RequestTarget? = nil) -> WebAnswer {
        var error = error
        if error.code == .authenticationRequired, let target {
            error.redirectURL = address.signIn(to: target.place)
        }
        return answer(to: error)
    }

    /// The answer to a request that failed with this error.
    package func answer(to error: WebError) -> WebAnswer {
        WebAnswer(error)
    }

    /// Performs the operation for an authenticated caller, and returns the body of the answer.
    private func body(
        _ request: WebRequest, _ target: RequestTarget, _ caller: WebCaller
    ) throws(WebError) -> [UInt8] {
        if target.scope != .public || target.operation.needsUser, case .nobody = caller.session {
            throw WebError(.authenticationRequired, "sign in: the operation needs a user")
        }
        guard let core = try doors.core(target.place) else {
            throw WebError(.notFound, "there is no such container")
        }
        do throws(RecordError) {
            return try WebCall(self, core, target, caller).answer(request.body)
        } catch { throw WebError(error) }
    }
}
