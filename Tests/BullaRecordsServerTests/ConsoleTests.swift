import Bulla
import BullaRecords
import BullaRecordsServer
import BullaRecordsWeb
import Foundation
import Testing

@Suite("The console")
struct ConsoleTests {
    private let fixture: ConsoleFixture

    init() throws { fixture = try ConsoleFixture() }

    private static let files = [
        "", "console.css", "icon.svg", "console.js", "account.js", "assets.js", "dialog.js",
        "difference.js", "element.js", "field.js", "notice.js", "record.js", "records.js",
        "schema.js", "service.js", "session.js", "zones.js",
    ]

    @Test("Every file comes with the strict policy, and names only files that are served")
    func files() throws {
        for name in Self.files {
            let answer = fixture.get("/console/" + name)
            #expect(answer.status == 200, "\(name)")
            let policy = try #require(answer.header("Content-Security-Policy"))
            let rules = Set(policy.split(separator: "; ").map { String($0) })
            #expect(
                rules == [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'",
                    "connect-src 'self'", "img-src 'self'", "form-action 'none'",
                    "frame-ancestors 'none'", "base-uri 'none'",
                    "require-trusted-types-for 'script'", "trusted-types 'none'",
                ])
            #expect(answer.header("Referrer-Policy") == "no-referrer")
            #expect(answer.header("Cross-Origin-Opener-Policy") == "same-origin")
            #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
            let text = answer.body.text
            for named in Self.names(in: text) { #expect(Self.files.contains(named), "\(named)") }
            for word in ["innerHTML", "localStorage", "sessionStorage", "cookie", "eval("] {
                #expect(!text.contains(word), "\(name) has \(word)")
            }
        }
        #expect(fixture.get("/console/").header("Content-Type") == "text/html; charset=UTF-8")
        #expect(fixture.get("/console/?a=b").status == 200)
        let script = fixture.get("/console/console.js").header("Content-Type")
        #expect(script == "text/javascript; charset=UTF-8")
    }

    /// The files that a text names in addresses and imports.
    private static func names(in text: String) -> [String] {
        text.matches(of: /(?:href="|src="|from "\.\/)([^"#][^"]*)"/).map { String($0.1) }
    }

    @Test("The page has no script, style or handler of its own")
    func inline() {
        let page = fixture.get("/console/").body.text
        #expect(!page.contains("<style") && !page.contains("style="))
        #expect(page.matches(of: /<script/).count == 1)
        #expect(page.matches(of: /\son[a-z]+=/).isEmpty)
    }

    @Test(
        "Nothing else is there",
        arguments: [
            "/console/console.html", "/console/../console.js", "/console/..%2Fconsole.js",
            "/console/%2e%2e/sign-in", "/console//console.js", "/console/./console.js",
            "/console/console.js/", "/console/Page/console.js", "/console/CONSOLE.JS",
            "/console/console.js%00", "/console/pass", "/console/pass/a/development/",
        ])
    func nothingElse(target: String) {
        #expect(ConsoleDesk.serves(target))
        #expect(fixture.get(target).status == 404)
        #expect(fixture.get(target).failure != nil)
    }

    @Test("It is at its own paths, and the page at one with a slash")
    func paths() {
        for target in ["/console2", "/consoles/", "/", "/sign-in/console/", "console/"] {
            #expect(!ConsoleDesk.serves(target))
        }
        let moved = fixture.get("/console")
        #expect(moved.status == 308 && moved.header("Location") == "console/")
        #expect(fixture.send("POST", "/console/").status == 405)
        #expect(fixture.send("PUT", "/console/console.js").status == 405)
    }

    @Test("A request needs a method, a place and a user", arguments: ConsoleFixture.verbs)
    func callers(verb: String) throws {
        let target = fixture.path(verb)
        #expect(fixture.get(target).status == 405)
        #expect(fixture.send("POST", target, "{}").status == 400)
        #expect(fixture.send("POST", target, "[").status == 400)
        let nobody = fixture.send("POST", target, "{\"ckWebAuthToken\":\"x\"}")
        #expect(nobody.status == 401 && nobody.failure?.error.code == .authenticationFailed)
        let token = try fixture.signIn()
        let body = "{\"ckWebAuthToken\":\"\(token)\"}"
        #expect(fixture.send("POST", fixture.path(verb, in: "production"), body).status == 401)
        #expect(fixture.send("POST", fixture.path(verb, in: "testing"), body).status == 404)
    }

    @Test("A pass stands for a program's token in its own place, until it expires")
    func passes() throws {
        let token = try fixture.signIn()
        let answer = try fixture.ask("pass", token)
        #expect(answer["userRecordName"]?.string == fixture.account.userRecordName)
        #expect(answer["isDeveloper"]?.bool == false)
        let pass = try #require(answer["ckAPIToken"]?.string)
        let (sessions, place) = (fixture.sessions, fixture.place)
        #expect(try sessions.knows(apiToken: pass, in: place))
        #expect(try !fixture.book.knows(apiToken: pass, in: place))
        #expect(try !sessions.knows(apiToken: pass, in: Place(place.container, .production)))
        #expect(try !sessions.knows(apiToken: pass, in: Place("other", .development)))
        #expect(try !sessions.knows(apiToken: pass + "A", in: place))
        #expect(try !sessions.knows(apiToken: token, in: place))
        let core = try #require(try fixture.stores.core(of: place))
        let download = try WebTickets(core, fixture.time.clock).text(.download, [], lifetime: 9_000)
        #expect(try !sessions.knows(apiToken: download, in: place))
        let program = try fixture.stores.keyring.programs.add("web", in: place)
        #expect(try sessions.knows(apiToken: program, in: place))
        fixture.time.pass(14 * 86_400_000)
        #expect(try !sessions.knows(apiToken: pass, in: place))
    }

    @Test("Only a developer reads the schema, and promotes it as it was shown")
    func promotion() throws {
        let (stores, place) = (fixture.stores, fixture.place)
        let token = try fixture.signIn()
        for verb in ["schema", "promote"] {
            let refused = fixture.send("POST", fixture.path(verb), fixture.body(token))
            #expect(refused.failure?.error.code == .accessDenied)
        }
        try stores.keyring.developers.allow(fixture.account, in: place)
        #expect(try fixture.ask("pass", token)["isDeveloper"]?.bool == true)
        #expect(try fixture.ask("schema", token)["added"]?.count == 0)
        let (development, production) = try #require(try stores.cores(of: place.container))
        try development.importSchema(Array(ConsoleFixture.schema.utf8))
        let shown = try fixture.ask("schema", token)
        #expect(shown["added"]?.count == 2)
        #expect(shown["development"]?.string?.contains("secret") == true)
        #expect(shown["production"]?.string?.contains("secret") == false)
        for version in ["0", "x", ""] {
            let body = fixture.body(token, ["version": version])
            #expect(fixture.send("POST", fixture.path("promote"), body).status != 200)
        }
        #expect(try production.schema().types["Note"] == nil)
        let version = try #require(shown["version"]?.string)
        #expect(try fixture.ask("promote", token, ["version": version])["added"]?.count == 2)
        #expect(try production.schema().types["Note"]?["secret"] != nil)
        #expect(fixture.notes == ["the schema was promoted: 2"])
        try stores.keyring.developers.forbid(fixture.account, in: place)
        #expect(fixture.send("POST", fixture.path("schema"), fixture.body(token)).status == 403)
        #expect(throws: RecordError.self) {
            try stores.keyring.developers.forbid(fixture.account, in: place)
        }
    }

    @Test("A schema that cannot be promoted says why")
    func refusedPromotion() throws {
        let token = try fixture.signIn()
        try fixture.stores.keyring.developers.allow(fixture.account, in: fixture.place)
        let (development, production) = try #require(
            try fixture.stores.cores(of: fixture.place.container))
        try development.importSchema(Array(ConsoleFixture.schema.utf8))
        try production.promote(from: RecordSchema(types: ["Other": RecordType()]))
        let shown = try fixture.ask("schema", token)
        #expect(shown["refusal"]?.string?.contains("Other") == true)
        #expect(shown["added"]?.count == 0)
    }

    @Test("A developer's right ends with the account, and not with its keys")
    func rights() throws {
        let (stores, place) = (fixture.stores, fixture.place)
        let developers = stores.keyring.developers
        try developers.allow(fixture.account, in: place)
        try developers.allow(fixture.account, in: place)
        #expect(try !developers.contains(fixture.account, in: Place(place.container, .production)))
        try stores.resetKeys(of: fixture.account, in: place, to: ConsoleFixture.key(7))
        #expect(try developers.contains(fixture.account, in: place))
        try stores.deleteAccount(fixture.account, in: place)
        #expect(try !developers.contains(fixture.account, in: place))
        #expect(throws: RecordError.self) { try developers.allow(fixture.account, in: place) }
    }

    @Test("A reset needs the token, the name and the password; then all sessions are over")
    func reset() throws {
        let (stores, place) = (fixture.stores, fixture.place)
        let password = "the password of bob"
        let key = try StoreKey.password(Secret(password))
        let bob = try stores.addAccount(named: "bob", in: place, unlockedBy: key)
        let alice = try fixture.signIn()
        let token = try #require(try fixture.book.signIn("bob", with: key, in: place))
        func reset(_ token: String, _ name: String, _ password: String) -> WebAnswer {
            fixture.send(
                "POST", fixture.path("reset-keys"),
                fixture.body(token, ["accountName": name, "password": password]))
        }
        #expect(reset(token, "alice", password).status == 403)
        #expect(reset(alice, "bob", password).status == 403)
        let wrong = reset(token, "bob", "another password")
        #expect(wrong.failure?.error.code == .authenticationFailed)
        #expect(try stores.keyring.epoch(of: bob, in: place) == 1 && fixture.notes == [])
        #expect(reset(token, "bob", password).status == 200)
        #expect(try stores.keyring.epoch(of: bob, in: place) == 2)
        #expect(try fixture.book.user(webAuthToken: token, in: place) == nil)
        #expect(fixture.notes == ["the keys of an account were reset: "])
        #expect(reset(token, "bob", password).status == 401)
    }
}

extension JSONValue {
    fileprivate var count: Int { Array(elements).count }
}

extension WebAnswer {
    fileprivate func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension [UInt8] {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
