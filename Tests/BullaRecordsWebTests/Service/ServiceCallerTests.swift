import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("Who may ask the service for what")
struct ServiceCallerTests {
    private static let query = "{\"query\":{\"recordType\":\"Note\"}}"
    private static let record = "{\"records\":[{\"recordName\":\"a\"}]}"
    private static let change = "{\"operations\":[\(operation("create", "a"))]}"

    @Test(
        "What needs a user says where to sign in, and what does not is answered",
        arguments: [
            ("records/lookup", record, .public, nil, nil),
            ("records/modify", change, .public, nil, "AUTHENTICATION_REQUIRED"),
            ("records/modify", change, .public, "first", nil),
            ("zones/modify", "{\"operations\":[]}", .public, nil, "AUTHENTICATION_REQUIRED"),
            ("zones/list", "", .public, nil, nil),
            ("users/current", "", .public, nil, "AUTHENTICATION_REQUIRED"),
            ("users/current", "", .public, "first", nil),
            ("users/caller", "", .private, nil, "AUTHENTICATION_REQUIRED"),
            ("users/caller", "", .private, "first", nil),
            ("records/lookup", record, .private, nil, "AUTHENTICATION_REQUIRED"),
            ("records/lookup", record, .private, "first", nil),
            ("records/lookup", record, .private, "nobody", "AUTHENTICATION_FAILED"),
            ("records/lookup", record, .public, "nobody", "AUTHENTICATION_FAILED"),
            ("zones/list", "", .shared, nil, "AUTHENTICATION_REQUIRED"),
        ] as [(String, String, DatabaseScope, String?, String?)])
    func matrix(
        path: String, body: String, scope: DatabaseScope, user: String?, code: String?
    ) throws {
        let fixture = try ServiceFixture()
        let reply = try fixture.ask(path, body, in: scope, user: user)
        #expect(reply.code == code)
        let statuses = ["AUTHENTICATION_REQUIRED": 421, "AUTHENTICATION_FAILED": 401]
        #expect(reply.status == code.map { statuses[$0] } ?? 200)
        let place = "sign-in/\(ServiceFixture.container)/development"
        #expect(
            reply.json["redirectURL"]?.string
                == (reply.status == 421 ? "https:" + "//records.example.org/\(place)" : nil))
        // A known user gets the next token, even in an answer that refuses the request.
        #expect(reply.headers[WebToken.header] == (user == "first" ? "fresh" : nil))
    }

    @Test("A user's name is told, and a refusal brings the next token too")
    func user() throws {
        let fixture = try ServiceFixture()
        for path in ["users/current", "users/caller"] {
            for method in ["GET", "POST"] {
                let reply = try fixture.ask(path, in: .public, user: "second", method: method)
                #expect(
                    reply.json["userRecordName"]?.string == WebSupport.stranger.userRecordName)
                #expect(reply.json.count == 1)
            }
        }
        let refused = try fixture.ask("records/lookup", "{", user: "second")
        #expect(refused.status == 400)
        #expect(refused.headers[WebToken.header] == "other")
    }

    @Test("A request without anybody, or of a program that nobody knows, is refused")
    func programs() throws {
        let fixture = try ServiceFixture()
        let path = fixture.path("records/lookup", in: .public)
        for query in ["", "?ckAPIToken=", "?ckAPIToken=other", "?ckWebAuthToken=first"] {
            let reply = try fixture.send(
                WebRequest("POST", path + query, body: Array(Self.record.utf8)))
            #expect(reply.status == 401 && reply.code == "AUTHENTICATION_FAILED")
            #expect(!reply.text.contains("other") && !reply.text.contains("first"))
        }
        let elsewhere = path.split(separator: "development").joined(separator: "production")
        let reply = try fixture.send(
            WebRequest("POST", elsewhere + "?ckAPIToken=program", body: Array(Self.record.utf8)))
        #expect(reply.status == 404 && reply.code == "NOT_FOUND")
    }

    private func signed(
        _ fixture: ServiceFixture, _ path: String, _ request: (body: String, signature: String),
        keyID: String = "owned", query: String = "", method: String = "POST",
        in scope: DatabaseScope = .public
    ) throws -> ServiceReply {
        try fixture.send(
            WebRequest(
                method, fixture.path(path, in: scope) + query,
                headers: ServerSignatures.headers(request.signature, keyID: keyID),
                body: Array(request.body.utf8)))
    }

    @Test("A server that signs its request writes once, and reads as often as it likes")
    func server() throws {
        let fixture = try ServiceFixture()
        let saved = try signed(fixture, "records/modify", ServerSignatures.modify)
        #expect(saved.status == 200 && saved.codes == [nil])
        #expect(saved.items[0]["created"]?["userRecordName"] == nil)
        #expect(saved.headers[WebToken.header] == nil)
        let again = try signed(fixture, "records/modify", ServerSignatures.modify)
        #expect(again.status == 401 && again.code == "AUTHENTICATION_FAILED")
        for _ in 0..<2 {
            let found = try signed(fixture, "records/lookup", ServerSignatures.lookUp)
            #expect(found.field("title")?["value"]?.string == "t")
        }
    }

    @Test("A server acts for the owner of its key, or for nobody")
    func serverCaller() throws {
        let fixture = try ServiceFixture()
        let request = (body: "", signature: ServerSignatures.caller)
        for method in ["GET", "POST"] {
            let reply = try signed(fixture, "users/caller", request, method: method)
            #expect(reply.json["userRecordName"]?.string == WebSupport.account.userRecordName)
        }
        let free = try signed(fixture, "users/caller", request, keyID: "free")
        #expect(free.status == 403 && free.code == "ACCESS_DENIED")
    }

    @Test("A signature that is not of this request, or comes with a token, opens nothing")
    func badSignatures() throws {
        let fixture = try ServiceFixture()
        let modify = ServerSignatures.modify
        let replies = [
            try signed(fixture, "records/modify", (ServerSignatures.lookUp.body, modify.signature)),
            try signed(fixture, "records/query", modify),
            try signed(fixture, "records/modify", modify, keyID: "unknown"),
            try signed(fixture, "records/modify", (modify.body, "AAAA")),
            try signed(fixture, "records/modify", modify, query: "?ckAPIToken=program"),
            try signed(fixture, "records/modify", modify, query: "?ckWebAuthToken=first"),
        ]
        for reply in replies {
            #expect(reply.status == 401 && reply.code == "AUTHENTICATION_FAILED")
            #expect(!reply.text.contains(modify.signature))
        }
        // A caller with an unknown key gets the same answer as one with a signature for something
        // else.
        #expect(replies[0].reason == replies[2].reason)
        let inPrivate = try signed(fixture, "records/modify", modify, in: .private)
        #expect(inPrivate.status == 403 && inPrivate.code == "ACCESS_DENIED")
        // The refusal has not used up the signature.
        #expect(try signed(fixture, "records/modify", modify).status == 200)
    }

    @Test("In the public database a record is its creator's to change, and everybody's to read")
    func grants() throws {
        let fixture = try ServiceFixture()
        func change(_ kind: String, _ user: String) throws -> ServiceReply {
            try fixture.modify(
                operation(kind, "a"), zone: "_defaultZone", in: .public, user: user)
        }
        try fixture.defineNotes()
        #expect(try change("create", "first").codes == [nil])
        #expect(try change("forceUpdate", "second").codes == ["ACCESS_DENIED"])
        #expect(try change("forceDelete", "second").codes == ["ACCESS_DENIED"])
        #expect(try change("forceUpdate", "first").codes == [nil])
        let read = try fixture.ask("records/lookup", Self.record, in: .public, user: nil)
        #expect(read.codes == [nil])
        let found = try fixture.ask("records/query", Self.query, in: .public, user: nil)
        #expect(found.names == ["a"])
    }

    @Test("What the schema grants others than it does by itself is what they may do")
    func otherGrants() throws {
        let second = WebSupport.stranger
        let fixture = try ServiceFixture(roles: { $0 == second ? ["editor"] : [] })
        try fixture.core.importSchema(
            Array(
                """
                DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE Note (
                "___recordID" REFERENCE QUERYABLE, GRANT READ TO "_icloud",
                GRANT READ, WRITE TO "_creator", GRANT CREATE, WRITE TO editor );
                """.utf8))
        func change(_ kind: String, _ user: String) throws -> ServiceReply {
            try fixture.modify(
                operation(kind, "a"), zone: "_defaultZone", in: .public, user: user)
        }
        #expect(try change("create", "first").codes == ["ACCESS_DENIED"])
        #expect(try change("create", "second").codes == [nil])
        #expect(try change("forceUpdate", "first").codes == ["ACCESS_DENIED"])
        #expect(try change("forceUpdate", "second").codes == [nil])
        let read = try fixture.ask("records/lookup", Self.record, in: .public)
        #expect(read.codes == [nil])
        let byNobody = try fixture.ask("records/lookup", Self.record, in: .public, user: nil)
        #expect(byNobody.codes == ["ACCESS_DENIED"])
        #expect(try fixture.ask("records/query", Self.query, in: .public).names == ["a"])
        #expect(
            try fixture.ask("records/query", Self.query, in: .public, user: nil).names.isEmpty)
        #expect(try change("forceDelete", "first").codes == ["ACCESS_DENIED"])
        #expect(try change("forceDelete", "second").codes == [nil])
    }

    @Test("Paths, methods and lengths that are none of the service's are refused")
    func envelope() throws {
        var limits = WebLimits()
        limits.requestByteCount = 100
        let fixture = try ServiceFixture(limits: limits)
        for path in ["records/other", "records", "zones/list/x", ""] {
            let reply = try fixture.ask(path, "{}")
            #expect(reply.status == 404 && reply.code == "NOT_FOUND")
            #expect(!reply.text.contains("first") && !reply.text.contains("program"))
        }
        for (path, method, allowed) in [
            ("records/query", "GET", "POST"), ("zones/list", "PUT", "GET, POST"),
            ("records/lookup", "OPTIONS", "POST"), ("users/current", "DELETE", "GET, POST"),
        ] {
            let reply = try fixture.ask(path, method: method)
            #expect(reply.status == 405)
            #expect(reply.headers["Allow"] == allowed)
        }
        let body = Self.record
        let padded = body + String(repeating: " ", count: 100 - body.utf8.count)
        #expect(try fixture.ask("records/lookup", padded).status == 200)
        let long = try fixture.ask("records/lookup", padded + " ")
        #expect(long.status == 413 && long.code == "BAD_REQUEST")
    }

    @Test("Answers are JSON, and nothing that is printed has a token or a value")
    func printed() throws {
        let fixture = try ServiceFixture()
        let reply = try fixture.ask("zones/list")
        #expect(reply.headers["Content-Type"] == "application/json; charset=UTF-8")
        let request = WebRequest(
            "POST", "/x?ckWebAuthToken=secret", headers: [WebHeader("h", "secret")],
            body: Array("secret".utf8))
        let answer = fixture.service.answer(request)
        for text in [
            "\(request)", String(reflecting: request), "\(request.headers)", "\(answer)",
            String(reflecting: answer), answer.body.text,
        ] {
            #expect(!text.contains("secret"))
        }
    }

    @Test("Only addresses that are sealed on their way are a service's")
    func address() {
        #expect(ServiceAddress("http:" + "//a.example.org") == nil)
        #expect(ServiceAddress("https:" + "//") == nil)
        #expect(ServiceAddress("https:" + "//a b") == nil)
        #expect(ServiceAddress("https:" + "//a.example.org") != nil)
    }
}
