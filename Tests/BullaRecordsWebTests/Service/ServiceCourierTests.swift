import Bulla
import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Waiting for changes")
struct ServiceCourierTests {
    private static let notice =
        "{\"aps\":{\"content-available\":1},\"ck\":{\"cid\":\"iCloud.org.example.notes\","
        + "\"ce\":2,\"fet\":{\"dbs\":2}}}"

    private let fixture: ServiceFixture

    init() throws { fixture = try Self.fixture() }

    private static func fixture(
        _ change: (inout WebLimits) -> Void = { _ in }
    ) throws -> ServiceFixture {
        var limits = WebLimits()
        // Longer than any test waits.
        limits.courierWait = .seconds(100_000)
        change(&limits)
        let fixture = try ServiceFixture(limits: limits)
        try fixture.makeZone()
        return fixture
    }

    private func change(
        _ name: String, in fixture: ServiceFixture? = nil, user: String = "first"
    ) throws {
        let reply = try (fixture ?? self.fixture).modify(
            operation("forceUpdate", name), zone: "_defaultZone", user: user)
        try #require(reply.codes == [nil])
    }

    /// Ends a courier on a thread of its own, not on one that tests share.
    private func end(_ courier: WebCourier) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                courier.end()
                continuation.resume()
            }
        }
    }

    @Test("A token is for a user, and has an address of its own")
    func tokens() throws {
        let body = "{\"apnsEnvironment\":\"production\",\"clientId\":\"c\",\"other\":1}"
        let reply = try fixture.ask("tokens/create", body)
        #expect(reply.status == 200)
        #expect(reply.json["apnsEnvironment"]?.string == "production")
        #expect(reply.json["apnsToken"]?.string?.utf8.count == 32)
        let target = try ServiceFixture.target(of: reply.json["webcourierURL"]?.string ?? "")
        #expect(WebRoute(target) == .courier)
        #expect(try fixture.courierTarget() != target)
        #expect(try fixture.ask("tokens/create", body, user: nil).status == 421)
        #expect(try fixture.ask("tokens/create", "{}").code == "BAD_REQUEST")
        let wrong = try fixture.ask("tokens/create", "{\"apnsEnvironment\":\"x\"}")
        #expect(wrong.code == "BAD_REQUEST")
    }

    @Test("A client is told of a change of its user's databases, and of no other's")
    func told() async throws {
        let courier = WebCourier(fixture.service)
        let (first, second) = (Asked(), Asked())
        let waiting = courier.ask(try fixture.courierTarget(), first)
        courier.ask(try fixture.courierTarget(user: "second"), second)
        try change("a", user: "second")
        #expect(await second.answer() == Self.notice)
        waiting.cancel()
        #expect(await first.answer() == "{}")
        await end(courier)
    }

    @Test("Every sort of change is told: of records, of zones, of keys")
    func sorts() async throws {
        let courier = WebCourier(fixture.service)
        let target = try fixture.courierTarget()
        let changes: [@Sendable () throws -> Void] = [
            { [fixture] in try fixture.makeZone("new") },
            { [fixture] in _ = try fixture.modify(operation("create", "a"), zone: "new") },
            { [fixture] in _ = try fixture.modify(operation("forceDelete", "a"), zone: "new") },
            { [fixture] in try fixture.core.zoneKeys.forget(of: WebSupport.account) },
        ]
        for change in changes {
            let asked = Asked()
            courier.ask(target, asked)
            #expect(asked.isWaiting)
            try change()
            #expect(await asked.answer() == Self.notice)
        }
        await end(courier)
    }

    @Test("A change while no request waits is told to the next one, and once")
    func between() async throws {
        let courier = WebCourier(fixture.service)
        let target = try fixture.courierTarget()
        for name in ["a", "b"] {
            try change(name)
            let (told, next) = (Asked(), Asked())
            courier.ask(target, told)
            #expect(await told.answer() == Self.notice)
            courier.ask(target, next).cancel()
            #expect(await next.answer() == "{}")
        }
        // Another process does not know what was reported, so the client is told again.
        let (other, told) = (WebCourier(fixture.service), Asked())
        other.ask(target, told)
        #expect(await told.answer() == Self.notice)
        await end(courier)
        await end(other)
    }

    @Test("Subscribers with one token are each told of each change")
    func subscribers() async throws {
        let courier = WebCourier(fixture.service)
        let request = WebRequest("GET", try fixture.courierTarget())
        let subscribers = try (0..<2).map { _ in
            try WebCourier.Subscriber(interval: .seconds(100_000))
        }
        for name in ["a", "b"] {
            let asked = subscribers.map { _ in Asked() }
            for (subscriber, asked) in zip(subscribers, asked) {
                courier.ask(request, as: subscriber, answer: asked.set)
            }
            try change(name)
            for asked in asked { #expect(await asked.answer() == Self.notice) }
        }
        await end(courier)
        #expect(courier.refusal(of: request) == nil)
        #expect(courier.refusal(of: WebRequest("POST", request.target))?.status == 405)
    }

    @Test(
        "A client asks for events by what it accepts",
        arguments: [
            ("text/event-stream", true), ("text/html, Text/Event-Stream;q=0.9", true),
            ("*/*", false), ("text/event-streams", false), ("", false),
        ])
    func accepted(types: String, isWanted: Bool) {
        let request = WebRequest("GET", "/", headers: [WebHeader("Accept", types)])
        #expect(CourierEvent.isWanted(by: request) == isWanted)
        #expect(!CourierEvent.isWanted(by: WebRequest("GET", "/")))
    }

    @Test("An event has a notice on one line, a comment says that nothing changed")
    func events() throws {
        let told = CourierEvent.bytes(WebAnswer(Array(Self.notice.utf8)))
        #expect(told == Array("data: \(Self.notice)\n\n".utf8))
        #expect(CourierEvent.bytes(WebAnswer(Array("{}".utf8))) == Array(":\n\n".utf8))
        #expect(CourierEvent.bytes(WebAnswer(WebError(.notFound, "no"))) == nil)
    }

    @Test("A client that has waited for long learns that there is nothing")
    func timeout() async throws {
        let fixture = try Self.fixture { $0.courierWait = .zero }
        let (courier, asked) = (WebCourier(fixture.service), Asked())
        courier.ask(try fixture.courierTarget(), asked)
        #expect(await asked.answer() == "{}")
        await end(courier)
    }

    @Test("A client that asks again has given up on what it asked before")
    func again() async throws {
        let fixture = try Self.fixture { $0.accountWaiterCount = 1 }
        let courier = WebCourier(fixture.service)
        let target = try fixture.courierTarget()
        let (first, second, third) = (Asked(), Asked(), Asked())
        courier.ask(target, first)
        courier.ask(target, second)
        #expect(await first.answer() == "{}")
        courier.ask(try fixture.courierTarget(), third)
        #expect(await third.status() == 429)
        try change("a", in: fixture)
        #expect(await second.answer() == Self.notice)
        await end(courier)
    }

    @Test("Many wait, and not more than the limit")
    func many() async throws {
        let fixture = try Self.fixture { limits in
            (limits.accountWaiterCount, limits.waiterCount) = (1_000, 100)
        }
        let courier = WebCourier(fixture.service)
        let asked = (0..<100).map { _ in Asked() }
        for one in asked { courier.ask(try fixture.courierTarget(), one) }
        let more = Asked()
        courier.ask(try fixture.courierTarget(user: "second"), more)
        #expect(await more.status() == 503)
        try change("a", in: fixture)
        for one in asked { #expect(await one.answer() == Self.notice) }
        await end(courier)
    }

    @Test("When the service ends nobody waits any more, and the store can be closed")
    func ending() async throws {
        let courier = WebCourier(fixture.service)
        let asked = (0..<3).map { _ in Asked() }
        for one in asked { courier.ask(try fixture.courierTarget(), one) }
        let target = try fixture.courierTarget()
        await end(courier)
        for one in asked { #expect(await one.answer() == "{}") }
        let late = Asked()
        courier.ask(target, late)
        #expect(await late.status() == 503)
        try await fixture.store.close()
    }

    @Test("A store that is closed too early ends all waits with an error")
    func closed() async throws {
        let (courier, asked) = (WebCourier(fixture.service), Asked())
        courier.ask(try fixture.courierTarget(), asked)
        try await fixture.store.close()
        #expect(await asked.status() == 500)
        await end(courier)
    }

    @Test("An address is for waiting, as it is, for a day")
    func addresses() async throws {
        let courier = WebCourier(fixture.service)
        let target = try fixture.courierTarget()
        func status(_ target: String, method: String = "GET") async -> Int {
            let asked = Asked()
            courier.ask(WebRequest(method, target)) { asked.set($0) }
            return await asked.status()
        }
        #expect(await status(target, method: "POST") == 405)
        var random = TestRandom(seed: 5)
        let ticket = String(target.split(separator: "/").last ?? "")
        for _ in 0..<200 {
            let changed = random.withOneBitChanged(ticket)
            #expect(await status(target.replacing(ticket, with: changed)) == 403)
        }
        let download = target.replacing("courier", with: "download")
        #expect(throws: WebError.self) { try fixture.download(download) }
        fixture.time.pass(86_400_000)
        #expect(await status(target) == 403)
        await end(courier)
    }
}

/// The answer that a client has got, or will get.
private final class Asked: Sendable {
    private struct State {
        var answer: WebAnswer?
        var continuation: CheckedContinuation<WebAnswer, Never>?
    }

    private let state = Mutex(State())

    var isWaiting: Bool { state.withLock { $0.answer == nil } }

    func set(_ answer: WebAnswer) {
        let continuation = state.withLock { state in
            precondition(state.answer == nil, "there is one answer")
            state.answer = answer
            return state.continuation
        }
        continuation?.resume(returning: answer)
    }

    private func wait() async -> WebAnswer {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state in
                if state.answer == nil { state.continuation = continuation }
                return state.answer
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    func answer() async -> String { await wait().body.text }
    func status() async -> Int { await wait().status }
}

extension WebCourier {
    @discardableResult
    fileprivate func ask(_ target: String, _ asked: Asked) -> Waiting {
        ask(WebRequest("GET", target)) { asked.set($0) }
    }
}

extension ServiceFixture {
    /// The address at which a user waits for changes, as a request's target.
    fileprivate func courierTarget(user: String = "first") throws -> String {
        let reply = try ask(
            "tokens/create", "{\"apnsEnvironment\":\"development\"}", user: user)
        return try Self.target(of: #require(reply.json["webcourierURL"]?.string))
    }
}
