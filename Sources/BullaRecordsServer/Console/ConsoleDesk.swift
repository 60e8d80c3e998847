internal import BullaRecords
package import BullaRecordsWeb

/// Serves the console: its page, and those requests of the page that the web service does not
/// answer.
///
///     GET  /console/                                     the page; below this path, its files
///     POST /console/pass/<container>/<environment>       a pass, which stands for an API token
///     POST /console/schema/<container>/<environment>     both schemas, for developers
///     POST /console/promote/<container>/<environment>    promotes the schema, for developers
///     POST /console/reset-keys/<container>/<environment> resets the user's keys
///
/// Every POST has a JSON object with `ckWebAuthToken`. To promote, it also has `version`, the
/// version of the schema that the developer has seen; to reset keys, `accountName` and `password`,
/// so that a stolen token does not suffice. Promotions and resets are logged.
package struct ConsoleDesk: Sendable {
    enum Verb: String, CaseIterable {
        case pass, schema, promote
        case resetKeys = "reset-keys"
    }

    /// Reports a promotion or a reset to the operator's log.
    package typealias Audit = @Sendable (_ event: String, _ facts: [String: String]) -> Void

    private static let path = "/console"
    /// For how many milliseconds a pass is valid: as long as a session whose token is not renewed.
    static let passLifetime = SessionBook.Lifetimes().session

    let stores: ServiceStores
    private let book: SessionBook
    let desk: SignInDesk
    let clock: WebService.Clock
    let audit: Audit

    package init(
        _ stores: ServiceStores, _ book: SessionBook, _ desk: SignInDesk,
        clock: @escaping WebService.Clock, audit: @escaping Audit
    ) {
        (self.stores, self.book, self.desk) = (stores, book, desk)
        (self.clock, self.audit) = (clock, audit)
    }

    /// Whether a request's target belongs to the console.
    package static func serves(_ target: String) -> Bool {
        let path = target.prefix { $0 != "?" }
        return path == Self.path || path.hasPrefix(Self.path + "/")
    }

    /// The log's name for a target of the console; `nil` for other targets.
    static func name(_ target: String) -> String? {
        guard serves(target) else { return nil }
        return verb(of: target).map { "console/\($0.rawValue)" } ?? "console"
    }

    /// Answers a request; every error becomes an answer, too.
    ///
    /// It blocks as long as the stores do, and while a password is stretched.
    package func answer(_ request: WebRequest) -> WebAnswer {
        do throws(WebError) {
            guard Self.verb(of: request.target) == nil else { return try act(on: request) }
            return try page(request)
        } catch { return WebAnswer(error) }
    }

    /// The page, or one of its files.
    private func page(_ request: WebRequest) throws(WebError) -> WebAnswer {
        let path = request.target.prefix { $0 != "?" }
        // The page's relative addresses work only if its own address ends with a slash.
        if path == Self.path, request.method == "GET" {
            return WebAnswer([], status: 308, headers: [WebHeader("Location", "console/")])
        }
        guard let answer = ConsolePage.answer(String(path.dropFirst(Self.path.count + 1))) else {
            throw WebError(.notFound, "there is nothing at this path")
        }
        guard request.method == "GET" else { throw .method("the console", ["GET"]) }
        return answer
    }

    private static func parts(_ target: String) -> [Substring] {
        target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func verb(of target: String) -> Verb? {
        let parts = parts(target)
        return parts.count == 5 ? Verb(rawValue: String(parts[2])) : nil
    }

    private func act(on request: WebRequest) throws(WebError) -> WebAnswer {
        guard let verb = Self.verb(of: request.target),
            let place = Place(path: Self.parts(request.target)[3...])
        else { throw WebError(.notFound, "there is nothing at this path") }
        guard request.method == "POST" else { throw .method(verb.rawValue, ["POST"]) }
        let fields = try DeskFields(request)
        guard
            let user = try book.user(
                webAuthToken: fields.required("ckWebAuthToken"), in: place)
        else {
            throw WebError(
                .authenticationFailed, "the request's user token is unknown or has expired")
        }
        var answer = WebAnswer(
            try act(verb, ConsoleCall(place: place, account: user.keys.account, fields: fields)))
        // A reset has ended the session, so there is no fresh token.
        if verb != .resetKeys {
            answer.headers.append(WebHeader(WebToken.header, user.freshToken))
        }
        return answer
    }
}
