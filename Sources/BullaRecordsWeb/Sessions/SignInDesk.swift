package import Bulla
package import BullaRecords
internal import Synchronization

/// Lets users with local accounts sign in and out, through programs or on a page for people.
///
///     GET  /sign-in/<container>/<environment>    a page with a form
///     POST /sign-in/<container>/<environment>    accountName and password, as JSON or as a form
///     POST /sign-out/<container>/<environment>   ckWebAuthToken, likewise
///
/// A sign-in returns `ckWebAuthToken`. No error message and no log contains what was sent.
package struct SignInDesk: Sendable {
    /// The maximum length of a request's body in bytes: more than a name and a password need.
    package static let requestByteCount = 64 << 10

    private let book: SessionBook
    private let failures: RateLimiter
    private let stretching: PlaceCounter
    private let clock: WebService.Clock

    /// - Parameters:
    ///   - failuresPerMinute: how many wrong passwords can be tried for one name.
    ///   - passwordCount: how many passwords can be stretched at once; each takes much memory.
    package init(
        _ book: SessionBook, failuresPerMinute: Int, passwordCount: Int,
        clock: @escaping WebService.Clock
    ) {
        (self.book, self.clock) = (book, clock)
        failures = RateLimiter(failuresPerMinute, perSeconds: 60, burst: failuresPerMinute)
        stretching = PlaceCounter(passwordCount)
    }

    /// Whether a request's target belongs to the desk.
    package static func serves(_ target: String) -> Bool {
        target.hasPrefix("/sign-in/") || target.hasPrefix("/sign-out/")
    }

    /// Answers a request; an error becomes an answer, too.
    ///
    /// It blocks while it stretches a password.
    package func answer(_ request: WebRequest) -> WebAnswer {
        do throws(WebError) {
            let (verb, place) = try Self.place(in: request.target)
            guard request.method == "POST" else {
                guard verb == .signIn, request.method == "GET" else {
                    throw WebError(.badRequest, "sign in or out: use the method POST")
                }
                return WebAnswer(page: SignInPage.text)
            }
            let fields = try DeskFields(request)
            switch verb {
            case .signIn: return try signIn(fields, place)
            case .signOut:
                try book.signOut(fields.required("ckWebAuthToken"), in: place)
                return WebAnswer(Array("{}".utf8))
            }
        } catch { return WebAnswer(error) }
    }

    private enum Verb { case signIn, signOut }

    private static func place(in target: String) throws(WebError) -> (Verb, Place) {
        let path = target.prefix { $0 != "?" }.split(separator: "/")
        guard path.count == 3, let place = Place(path: path[1...]) else {
            throw WebError(.notFound, "there is nothing at this path")
        }
        return (path[0] == "sign-in" ? .signIn : .signOut, place)
    }

    private func signIn(_ fields: DeskFields, _ place: Place) throws(WebError) -> WebAnswer {
        let token = try withPassword(fields, in: place) { name, key throws(WebError) in
            try book.signIn(name, with: key, in: place)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ckWebAuthToken", token)
        writer.endObject()
        return WebAnswer(writer.bytes)
    }

    /// Calls `body` with the name in a request, and with the key made from the password in it.
    ///
    /// - Parameter body: returns `nil` if no account has this name and password; this counts as a
    ///   failed sign-in.
    /// - Throws: `authenticationFailed` if `body` returns `nil`, or the text cannot be a password;
    ///   `throttled` after too many failures; `tryAgainLater` while too many passwords are being
    ///   stretched; `notFound` if there is no such container; `badRequest` if a field is missing;
    ///   what `body` throws.
    package func withPassword<R>(
        _ fields: DeskFields, in place: Place,
        _ body: (_ name: String, StoreKey) throws(WebError) -> R?
    ) throws(WebError) -> R {
        let name = try fields.required("accountName")
        let password = try fields.required("password")
        let bucket = "\(place.container)/\(place.environment.name)/\(name.prefix(255))"
        guard try book.knows(place) else {
            throw WebError(.notFound, "there is no such container")
        }
        let now = clock()
        if let seconds = failures.wait(for: bucket, now: now, isCounted: false) {
            throw WebError(
                .throttled, "sign in: too many wrong passwords were tried", retryAfter: seconds)
        }
        guard stretching.enter() else {
            throw WebError(.tryAgainLater, "sign in: too many others are doing so", retryAfter: 1)
        }
        defer { stretching.leave() }
        let key: StoreKey
        do throws(BullaError) { key = try .password(Secret(password)) } catch {
            // A text that cannot be a password counts as a wrong password.
            throw refused(bucket, now)
        }
        guard let found = try body(name, key) else { throw refused(bucket, now) }
        return found
    }

    private func refused(_ bucket: String, _ now: Int64) -> WebError {
        _ = failures.wait(for: bucket, now: now)
        return WebError(.authenticationFailed, "sign in: no account has this name and password")
    }
}

extension Place {
    /// The place given by two components of a path: a container and an environment.
    package init?(path: ArraySlice<Substring>) {
        guard path.count == 2, let first = path.first, let last = path.last,
            let container = PercentCoding.decoded(first),
            let environment = Environment(name: String(last))
        else { return nil }
        self.init(container, environment)
    }
}

/// Counts the callers between `enter` and `leave`, up to a limit.
private final class PlaceCounter: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(_ limit: Int) { self.limit = limit }

    /// - Returns: `false` if the limit is reached.
    func enter() -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
