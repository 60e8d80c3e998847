import BullaRecords
import BullaRecordsServer
import BullaRecordsWeb
import Testing

@Suite("Settings of the service")
struct SettingsTests {
    private static let least = """
        {"data":"d","publicURL":"https:\\/\\/records.example.org",
        "keys":{"records":"file:a","accounts":"file:b"}}
        """

    private func read(
        _ text: String = least, _ environment: [String: String] = [:]
    ) throws -> ServiceSettings {
        try ServiceSettings(file: Array(text.utf8), environment: environment)
    }

    private func with(_ more: String) -> String { String(Self.least.dropLast()) + ",\(more)}" }

    @Test("What nobody says is as the reference has it")
    func defaults() throws {
        let settings = try read()
        #expect(settings.data == "d" && settings.host == "127.0.0.1" && settings.port == 8443)
        #expect(settings.limits == ServiceLimits() && settings.timeouts == ServiceTimeouts())
        #expect(!settings.hasConsole)
        for setting in Setting.all {
            #expect(Setting.reference.contains("\(setting.path)\n"))
            #expect(Setting.reference.contains("\(setting.variable)\n"))
        }
        #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
    }

    @Test("The file sets, and the environment goes before it")
    func sources() throws {
        let text = with(#""limits":{"requestBytes":2048},"listen":{"port":1}"#)
        #expect(try read(text).limits.requestByteCount == 2_048)
        let settings = try read(
            text,
            [
                "BULLA_RECORDS_LIMITS_REQUEST_BYTES": "4096", "BULLA_RECORDS_DATA": "e",
                "BULLA_RECORDS_PUBLIC_URL": "https:" + "//other.example.org", "PATH": "x",
            ])
        #expect(settings.limits.requestByteCount == 4_096 && settings.data == "e")
        #expect(settings.publicURL.hasSuffix("other.example.org") && settings.port == 1)
        #expect(settings.limits.web.requestByteCount == 4_096)
    }

    @Test(
        "A quarter of the workers may wait for one database, and one of a few",
        arguments: [(1, 1), (3, 1), (8, 2), (16, 4), (1_024, 256)])
    func patience(workers: Int, waiters: Int) throws {
        let limits = try read(with(#""limits":{"workers":\#(workers)}"#)).limits
        #expect(limits.patience.callerLimit == waiters)
    }

    @Test("The console is there for those who ask for it, in the file or the environment")
    func console() throws {
        #expect(try read(with(#""console":true"#)).hasConsole)
        #expect(try read(Self.least, ["BULLA_RECORDS_CONSOLE": "true"]).hasConsole)
        #expect(throws: SettingsFault.self) { try read(with(#""console":"yes""#)) }
    }

    @Test("A database stands for the store of records")
    func database() throws {
        #expect(try !read().database.isUsed)
        let text = """
            {"data":"d","publicURL":"https:\\/\\/records.example.org","keys":{"accounts":"file:b"},
            "database":{"host":"\\/run\\/postgresql","name":"records","user":"bulla","waiters":9,
            "preparesStatements":false}}
            """
        let database = try read(text).database
        #expect(database.isUsed && database.isLocal && !database.preparesStatements)
        #expect(database.waiterCount == 9 && database.connectionCount == 8)
        let host = "BULLA_RECORDS_DATABASE_HOST"
        let authorities = "BULLA_RECORDS_DATABASE_AUTHORITIES"
        let away = try read(text, [host: "db.example.org", authorities: "ca.pem"]).database
        #expect(!away.isLocal && away.authoritiesFile == "ca.pem")
        let prepares = "BULLA_RECORDS_DATABASE_PREPARES_STATEMENTS"
        #expect(try read(text, [prepares: "true"]).database.preparesStatements)
        let faults: [([String: String], String)] = [
            ([host: ""], "without database.host"), ([host: "db.example.org"], "authorities"),
            ([authorities: "ca.pem"], "authorities"), ([prepares: "yes"], "true or false"),
            (["BULLA_RECORDS_DATABASE_USER": ""], "go together"),
            (["BULLA_RECORDS_KEYS_RECORDS": "file:a"], "keys.records: not expected"),
            (["BULLA_RECORDS_KEYS_ACCOUNTS": ""], "keys.accounts is needed"),
        ]
        for (environment, part) in faults {
            let fault = #expect(throws: SettingsFault.self) { try read(text, environment) }
            #expect(fault?.description.contains(part) == true, "\(part)")
        }
    }

    @Test("Further databases have names, and one of them may be for new accounts")
    func databases() throws {
        #expect(try read().databases.isEmpty && read().newAccounts == "main")
        let west = #""west":{"host":"\/run\/west","name":"records","user":"bulla","waiters":9}"#
        let east = #""east-2":{"host":"db","name":"r","user":"b","authorities":"ca.pem"}"#
        let settings = try read(
            with("\"databases\":{\(west),\(east)},\"placement\":{\"newAccounts\":\"west\"}"))
        #expect(settings.databases.keys.sorted() == ["east-2", "west"])
        #expect(settings.databases["west"]?.waiterCount == 9 && settings.newAccounts == "west")
        #expect(settings.databases["east-2"]?.isLocal == false && !settings.database.isUsed)
        let faults = [
            (#""databases":5"#, "expected an object"),
            (#""databases":"secret""#, "databases: expected an object as JSON"),
            (#""databases":{"a":5}"#, "databases.a: expected an object, found a number"),
            (#""databases":{"a":{}}"#, "databases.a: a host"),
            (#""databases":{"a":{"secret":1}}"#, "databases.a: byte "),
            (#""databases":{"a":{"host":"\/run"}}"#, "databases.a: a host, a name and a user go"),
            (#""databases":{"a":{"port":"secret"}}"#, "databases.a.port: expected a whole number"),
            (
                #""databases":{"a":{"host":"db","name":"r","user":"b"}}"#,
                "databases.a.authorities: expected for a host"
            ),
            (
                "\"databases\":{\(west),\(west.replacing("west\":", with: "b\":"))}",
                "databases.west: the same database as databases.b"
            ),
            ("\"databases\":{\(west.replacing("west\":", with: "main\":"))}", "is not main"),
            ("\"databases\":{\(west.replacing("west\":", with: "a b\":"))}", "is not main"),
            ("\"databases\":{\(west)},\"placement\":{\"newAccounts\":\"secret\"}", "a name in"),
        ]
        for (more, part) in faults {
            let fault = #expect(throws: SettingsFault.self) { try read(with(more)) }
            #expect(
                fault?.description.contains(part) == true, "\(more): \(fault?.description ?? "")")
            #expect(fault?.description.contains("secret") == false)
        }
    }

    @Test("Further databases can be in the environment, and no database has two names")
    func moreDatabases() throws {
        let text = """
            {"data":"d","publicURL":"https:\\/\\/records.example.org","keys":{"accounts":"file:b"},
            "database":{"host":"\\/run","name":"records","user":"bulla"},
            "databases":{"north":{"host":"\\/north","name":"records","user":"bulla"}}}
            """
        #expect(try read(text).databases.keys.sorted() == ["north"])
        func with(variable member: String) throws -> ServiceSettings {
            let value = #"{"a":{"host":"/run","name":"records","user":"other""# + "\(member)}}"
            return try read(text, ["BULLA_RECORDS_DATABASES": value])
        }
        let settings = try with(variable: #","port":5433"#)
        #expect(settings.databases.keys.sorted() == ["a"] && settings.databases["a"]?.port == 5_433)
        for (member, part) in [
            ("", "databases.a: the same database as database"), (",", "expected an object as JSON"),
        ] {
            let fault = #expect(throws: SettingsFault.self) { try with(variable: member) }
            #expect(fault?.description.contains(part) == true)
        }
    }

    @Test("Deletions are remembered for as many days as the settings say, thirty by themselves")
    func deletionDays() throws {
        #expect(try read().limits.records.deletionDays == 30)
        let text = with(#""limits":{"deletionDays":7}"#)
        #expect(try read(text).limits.records.deletionDays == 7)
        let settings = try read(text, ["BULLA_RECORDS_LIMITS_DELETION_DAYS": "365"])
        #expect(settings.limits.records.deletionDays == 365)
        for days in [0, -1, 36_501] {
            #expect(throws: SettingsFault.self) {
                try read(with("\"limits\":{\"deletionDays\":\(days)}"))
            }
        }
    }

    @Test(
        "What is wrong is named, and not repeated",
        arguments: [
            (#""limit":{"requestBytes":1}"#, "no setting has this name"),
            (#""limits":{"secret":1}"#, "no setting has this name"),
            (#""limits":5"#, "no setting has this name"),
            (#""limits":{"requestBytes":"secret"}"#, "limits.requestBytes: expected a whole"),
            (#""limits":{"requestBytes":1}"#, "from 1024 to"),
            (#""limits":{"requestBytes":1.5e99}"#, "limits.requestBytes"),
            (#""log":{"level":"secret"}"#, "log.level: expected one of"),
            (#""log":{"level":["secret"]}"#, "expected a text, found an array"),
            (#""log":{"level":true}"#, "expected a text, found true or false"),
            (#""database":{"host":"secret"}"#, "go together"),
            (#""database":{"preparesStatements":1}"#, "expected true or false"),
            (#""listen":{"host":"0.0.0.0"}"#, "without a certificate"),
            (#""tls":{"certificate":"a"}"#, "go together"),
            (#""data":"d""#, "is not JSON"), (#""x":"secret"#, "is not JSON"),
        ])
    func faults(more: String, part: String) {
        let fault = #expect(throws: SettingsFault.self) { try read(with(more)) }
        #expect(fault?.description.contains(part) == true)
        #expect(fault?.description.contains("secret") == false)
    }

    @Test("What is needed has to be said, with two keys that differ")
    func needed() {
        for path in ["data", "publicURL", "keys.records", "keys.accounts"] {
            let name = path.split(separator: ".").last ?? ""
            let member = "\"\(name)\":\""
            let text = Self.least.replacing(member, with: member + "\"," + member)
            #expect(throws: SettingsFault.self) { try read(text) }
            let variable = Setting.all.first { $0.path == path }?.variable ?? ""
            let fault = #expect(throws: SettingsFault.self) { try read(Self.least, [variable: ""]) }
            #expect(fault?.description.hasPrefix("\(path) is needed") == true)
        }
        #expect(throws: SettingsFault.self) {
            try read(Self.least, ["BULLA_RECORDS_KEYS_RECORDS": "file:b"])
        }
        #expect(throws: SettingsFault.self) { try read("[]") }
        #expect(throws: SettingsFault.self) {
            try read(Self.least, ["BULLA_RECORDS_PUBLIC_URL": "http:" + "//a"])
        }
    }
}
