import Bulla
import BullaRecords
import BullaRecordsRemote
import BullaRecordsServer
import BullaRecordsWeb
import BullaTestSupport
import Foundation
import Synchronization
import Testing

/// A service in this process, which clients reach without sockets.
final class LocalService: RemoteTransport {
    let place: Place
    let stores: ServiceStores
    let time = LocalTime()
    private let targets = Mutex<[String]>([])
    private let parts: Parts
    private let scratch: Scratch

    /// What answers requests.
    private struct Parts: Sendable {
        let service: WebService
        let desk: SignInDesk
    }

    init() throws {
        scratch = try Scratch()
        place = Place("iCloud.org.example.\(UUID().uuidString)", .development)
        let clock: @Sendable () -> Int64 = { [time] in time.now }
        let stores = try ServiceStores(
            at: scratch.path(""), records: .store(Self.key(1)), accountsKey: Self.key(2),
            creation: .ifMissing, clock: clock)
        try stores.addContainer(place.container)
        let book = SessionBook(stores.keyring, clock: clock)
        let doors = ServiceDoors(
            core: { place throws(WebError) in
                do throws(RecordError) { return try stores.core(of: place) } catch {
                    throw WebError(error)
                }
            }, sessions: book, serverKey: { _, _ in nil })
        let address = try #require(ServiceAddress("https:" + "//records.example.org/"))
        self.stores = stores
        parts = Parts(
            service: WebService(doors, at: address, clock: clock),
            desk: SignInDesk(book, failuresPerMinute: 10, passwordCount: 8, clock: clock))
    }

    deinit { try? stores.close() }

    private static func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 3 &+ number })
    }

    /// The targets of all requests so far, without the tokens of the program and of the user.
    var askedTargets: [String] { targets.withLock { $0 } }

    private func note(_ target: String) {
        let parts = target.split(separator: "?", maxSplits: 1)
        let query = parts.dropFirst().joined().split(separator: "&").filter { item in
            !item.hasPrefix("ckAPIToken=") && !item.hasPrefix("ckWebAuthToken=")
        }
        let noted = (parts.prefix(1) + query).joined(separator: "&")
        targets.withLock { $0.append(noted) }
    }

    /// A container with a new account that is signed in, and the name of the account's record.
    func container(_ name: String) async throws -> (CKContainer, CKRecord.ID) {
        let password = "the password of \(name)"
        let account = try stores.addAccount(
            named: name, in: place, unlockedBy: .password(Secret(password)))
        let token = try stores.keyring.programs.add(name, in: place)
        let container = try CKContainer.connect(place, self, .program(token: Secret(token)))
        try await container.signIn(accountName: name, password: Secret(password))
        return (container, CKRecord.ID(recordName: account.userRecordName))
    }

    func send(_ request: WebRequest) throws(RecordError) -> RemoteAnswer {
        note(request.target)
        let answer =
            SignInDesk.serves(request.target)
            ? parts.desk.answer(request) : parts.service.answer(request)
        return RemoteAnswer(status: answer.status, headers: answer.headers, body: answer.body)
    }

    func beginUpload(to target: String) throws(RecordError) -> any RemoteUpload {
        note(target)
        do throws(WebError) {
            return LocalUpload(try parts.service.beginUpload(WebRequest("POST", target)))
        } catch { throw RecordError(error) }
    }

    func download(
        _ target: String, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws -> RemoteAnswer {
        note(target)
        let file: WebDownload
        do throws(WebError) { file = try parts.service.download(WebRequest("GET", target)) } catch {
            return RemoteAnswer(status: error.status, headers: [], body: [])
        }
        for index in 0..<file.chunkCount { try body(try file.chunk(index)) }
        return RemoteAnswer(status: file.status, headers: file.headers, body: [])
    }

    func close() {}
}

/// A file on its way to a service in this process.
private final class LocalUpload: RemoteUpload {
    private let upload: WebUpload

    init(_ upload: WebUpload) { self.upload = upload }

    func append(_ bytes: ArraySlice<UInt8>) throws(RecordError) {
        do throws(WebError) { try upload.append(bytes) } catch { throw RecordError(error) }
    }

    func finish() throws(RecordError) -> RemoteAnswer {
        let answer = upload.finish()
        return RemoteAnswer(status: answer.status, headers: answer.headers, body: answer.body)
    }
}

/// A clock that tests set.
final class LocalTime: Sendable {
    private let time = Mutex<Int64>(1_795_435_200_000)

    /// Milliseconds since 1970.
    var now: Int64 { time.withLock { $0 } }

    func pass(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }

    /// The moment a number of milliseconds from now.
    func date(after milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(now + milliseconds) / 1_000)
    }
}
