import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Addresses of requests")
struct RequestTargetTests {
    private static let begin = "/database/1/iCloud.org.example.notes"

    @Test("Every operation has its path, in every environment and database")
    func paths() throws {
        for environment in Environment.allCases {
            for scope in DatabaseScope.allCases {
                for operation in ServiceOperation.allCases {
                    let target = try RequestTarget(
                        "\(Self.begin)/\(environment.name)/\(scope.name)/\(operation.rawValue)")
                    #expect(target.place == Place("iCloud.org.example.notes", environment))
                    #expect(target.scope == scope && target.operation == operation)
                    #expect(target.apiToken == nil && target.webAuthToken == nil)
                }
            }
        }
        let token = try RequestTarget("\(Self.begin)/development/tokens/create?ckAPIToken=a")
        #expect(token.operation == .createToken && token.scope == .private)
    }

    @Test("What is asked without a body, and what writes")
    func operations() {
        let reads = ServiceOperation.allCases.filter(\.takesGET)
        #expect(reads == [.listZones, .currentUser, .caller])
        let writes = ServiceOperation.allCases.filter(\.isWrite)
        #expect(
            writes == [
                .modifyRecords, .acceptShares, .modifyZones, .uploadAssets, .rereferenceAssets,
                .createToken,
            ])
    }

    @Test(
        "A path that leads nowhere is refused",
        arguments: [
            "", "/", "?", "database/1/c/development/public/zones/list",
            "/database/2/c/development/public/zones/list",
            "/database/1/c/test/public/zones/list", "/database/1/c/development/all/zones/list",
            "/database/1/c/development/public/zones/all",
            "/database/1/c/development/public/zones", "/database/1//development/public/zones/list",
            "/database/1/c/development/public/zones/list/",
            "//database/1/c/development/public/zones/list",
            "/database/1/c%2Fd/development/public/zones/list",
            "/database/1/c%/development/public/zones/list",
            "/database/1/c%ff/development/public/zones/list",
            "/database/1/../development/public/zones/list%00",
            "/Database/1/c/development/public/zones/list",
            "/database/1/c/development/records/query",
        ])
    func nowhere(target: String) {
        let error = #expect(throws: WebError.self) { try RequestTarget(target) }
        #expect(error?.code == .notFound)
    }

    @Test(
        "Tokens are read escaped or not, among whatever else is there",
        arguments: [
            ("", nil, nil), ("ckAPIToken=abc", "abc", nil),
            ("ckAPIToken=a%2Bb%2F%3d&ckWebAuthToken=c%3D", "a+b/=", "c="),
            ("ckWebAuthToken=a+b/c==&x=1&&y&ckAPIToken=d", "d", "a+b/c=="),
            ("ckAPIToken=&ckWebAuthToken", nil, nil), ("ckapitoken=a", nil, nil),
            ("ck%41PIToken=a", "a", nil), ("remap=%zz&ckAPIToken=a?b", "a?b", nil),
        ] as [(String, String?, String?)])
    func tokens(query: String, api: String?, web: String?) throws {
        let target = try RequestTarget("\(Self.begin)/production/private/zones/list?\(query)")
        #expect(target.apiToken == api && target.webAuthToken == web)
    }

    @Test(
        "A token that stands twice, or cannot be read, is refused without being told",
        arguments: [
            "ckAPIToken=canary&ckAPIToken=canary", "ckWebAuthToken=canary%",
            "ckWebAuthToken=canary%4", "ckAPIToken=canary%gg", "ckAPIToken=canary%ff",
        ])
    func badTokens(query: String) {
        let error = #expect(throws: WebError.self) {
            try RequestTarget("\(Self.begin)/production/private/zones/list?\(query)")
        }
        #expect(error?.code == .badRequest && error?.reason.contains("canary") == false)
    }

    @Test("A request has a token or a signature, and not both")
    func credentials() throws {
        let signature = try RequestSignature(keyID: "k", date: "d", signature: "AA==")
        func credentials(
            _ scope: String, _ query: String, _ signature: RequestSignature?
        ) throws -> RequestCredentials {
            try RequestCredentials(
                RequestTarget("\(Self.begin)/production/\(scope)/zones/list?\(query)"), signature)
        }
        #expect(
            try credentials("private", "ckAPIToken=a&ckWebAuthToken=b", nil)
                == .apiToken("a", webAuthToken: "b"))
        #expect(try credentials("public", "", signature) == signature.map { .signature($0) })
        for (scope, query, signature, code) in [
            ("public", "", nil, ServerErrorCode.authenticationFailed),
            ("public", "ckWebAuthToken=b", nil, .authenticationFailed),
            ("public", "ckAPIToken=a", signature, .authenticationFailed),
            ("public", "ckWebAuthToken=b", signature, .authenticationFailed),
            ("private", "", signature, .accessDenied), ("shared", "", signature, .accessDenied),
        ] {
            let error = #expect(throws: WebError.self) {
                try credentials(scope, query, signature)
            }
            #expect(error?.code == code)
        }
    }

    @Test("No text made of them has a token or a signature")
    func untold() throws {
        let target = try RequestTarget(
            "\(Self.begin)/production/public/zones/list?ckAPIToken=canary&ckWebAuthToken=canary")
        let signature = try #require(
            try RequestSignature(keyID: "canary", date: "d", signature: "Y2FuYXJ5"))
        let credentials = [
            RequestCredentials.apiToken("canary", webAuthToken: "canary"), .signature(signature),
        ]
        #expect("\(target)" == "zones/list in iCloud.org.example.notes, production, public")
        for value in [target, signature, credentials[0], credentials[1], credentials] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("canary") && !text.contains("Y2FuYXJ5"))
                // The signature's bytes, in case they are printed as numbers.
                #expect(!text.contains("99") && !text.contains("110"))
            }
        }
    }

    @Test("Changed addresses are read or refused")
    func mutations() {
        var random = TestRandom(seed: 41)
        let text = Array(
            "\(Self.begin)/production/private/zones/list?ckAPIToken=a%2Bb&ckWebAuthToken=c".utf8)
        for _ in 0..<20_000 {
            var bytes = text
            for _ in 0...random.below(3) {
                bytes[random.below(bytes.count)] = random.pick(Array("%/?&=+2fF\u{e4}".utf8))
            }
            do throws(WebError) {
                _ = try RequestTarget(String(decoding: bytes, as: UTF8.self))
            } catch {
                #expect(error.code == .notFound || error.code == .badRequest)
            }
        }
    }
}
