#if PostgreSQL
import BullaProcessSupport
import BullaRecordsPostgreSQL
import BullaTestSupport
import Foundation
import Glibc
import Synchronization

/// A server with a data folder of its own, reachable only over a socket beside that folder.
///
/// The server refuses to run as root. A test that runs as root starts it as the user `postgres`,
/// which the packages create.
final class PostgreSQLCluster: Sendable {
    private let scratch: Scratch
    private let server: Mutex<Server?>
    private let databaseCount = Mutex(0)

    /// Any thread may end the child, but only one at a time.
    private struct Server: @unchecked Sendable { let process: ChildProcess }

    init() throws {
        scratch = try Scratch()
        server = Mutex(nil)
        if geteuid() == 0 { try Self.giveToServer(scratch.folder) }
        let data = scratch.path("data")
        try run(
            "initdb",
            ["-D", data, "-U", Self.user, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"])
        try start()
    }

    deinit { try? kill(SIGINT) }

    static let user = "bulla"
    static let socketName = ".s.PGSQL.5432"
    var socket: String { scratch.path(Self.socketName) }

    /// Starts the server on the existing data.
    ///
    /// - Parameter isIdle: the start takes only processor time that nobody else wants, so that
    ///   others feel it no more than the start of a server on another machine. Once the server
    ///   takes connections, it is an ordinary process again, if this process may change that.
    func start(_ settings: [String: String] = [:], isIdle: Bool = false) throws {
        var words = ["-D", scratch.path("data"), "-k", scratch.folder, "-c", "listen_addresses="]
        for (name, value) in settings { words += ["-c", "\(name)=\(value)"] }
        for _ in 0..<6_000 {
            // A new server ends at once if a session of a killed one is still alive.
            let isReady = try server.withLock { server in
                if let process = server?.process, process.ended() == nil {
                    return saysReady(process)
                }
                server = Server(process: try process("postgres", words, isIdle: isIdle))
                return false
            }
            if isReady {
                if isIdle { makeOrdinary() }
                return
            }
            usleep(20_000)
        }
        throw ClusterFault(message: "the server does not start: see \(log)")
    }

    /// Gives the server, and the processes that it will start, their usual share of the processors.
    private func makeOrdinary() {
        var parameters = sched_param()
        guard let number = server.withLock({ $0?.process.number }) else { return }
        // SAFETY: the call reads the parameters.
        _ = unsafe sched_setscheduler(number, SCHED_OTHER, &parameters)
    }

    /// Whether the server takes connections, according to its lock file.
    ///
    /// Line 1 of that file has the number of the server's process, and line 8 says what the server
    /// is doing. This function does not try to connect, because that would take processor time from
    /// servers whose speed is being measured.
    private func saysReady(_ process: ChildProcess) -> Bool {
        let file = try? String(contentsOfFile: scratch.path("data/postmaster.pid"), encoding: .utf8)
        let lines = (file ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 8, lines[0] == "\(process.number)" else { return false }
        return lines[7].hasPrefix("ready")
    }

    /// Ends the server with a signal; `SIGKILL` acts like a crash.
    func kill(_ signal: Int32) throws {
        let running = server.withLock { server in
            defer { server = nil }
            return server
        }
        guard let process = running?.process else { return }
        process.signal(signal)
        _ = try process.wait(patience: .seconds(60))
    }

    /// The address of a new, empty database.
    func newDatabase() throws -> DatabaseAddress {
        let number = databaseCount.withLock { count in
            count += 1
            return count
        }
        try run("psql", query("postgres", "CREATE DATABASE d\(number)"))
        return try address("d\(number)")
    }

    func address(_ database: String, user: String = user) throws -> DatabaseAddress {
        try DatabaseAddress(.socket(folder: scratch.folder), database: database, user: user)
    }

    /// Runs a statement as an operator would.
    func run(_ statement: String, in database: String) throws {
        try run("psql", query(database, statement))
    }

    private func query(_ database: String, _ statement: String) -> [String] {
        [
            "-X", "-q", "-h", scratch.folder, "-U", Self.user, "-d", database, "-v",
            "ON_ERROR_STOP=1", "-c", statement,
        ]
    }

    private var log: String { scratch.path("log") }

    private func run(_ program: String, _ arguments: [String]) throws {
        let process = try process(program, arguments)
        process.closeInput()
        let end = try process.wait(patience: .seconds(60))
        guard case .exited(0) = end else {
            throw ClusterFault(message: "\(program) \(end): see \(log)")
        }
    }

    private func process(
        _ program: String, _ arguments: [String], isIdle: Bool = false
    ) throws -> ChildProcess {
        guard let path = Self.path(of: program) else {
            throw ClusterFault(message: "there is no \(program): install postgresql")
        }
        var words = isIdle ? ["/usr/bin/chrt", "--idle", "0"] : []
        if geteuid() == 0 {
            words += ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        }
        words += [path] + arguments
        return try ChildProcess(words[0], Array(words.dropFirst()), key: nil, errors: log)
    }

    private static func path(of program: String) -> String? {
        let folder = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return (versions.sorted().reversed().map { "\(folder)/\($0)/bin" } + ["/usr/bin"])
            .map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func giveToServer(_ folder: String) throws {
        // SAFETY: the entry is read before anything else asks for one.
        guard let entry = unsafe getpwnam("postgres") else {
            throw ClusterFault(message: "there is no user postgres: install postgresql")
        }
        guard unsafe chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0 else {
            throw ClusterFault(message: "cannot give \(folder) to postgres")
        }
    }
}

struct ClusterFault: Error {
    let message: String
}
#endif
