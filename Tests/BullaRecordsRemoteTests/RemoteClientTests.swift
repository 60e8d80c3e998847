import Bulla
import BullaRecords
import BullaRecordsRemote
import BullaRecordsWeb
import Foundation
import Synchronization
import Testing

@Suite("The client of a service")
struct RemoteClientTests {
    private let user = "_" + String(repeating: "0a", count: 16)

    /// A container of a service that gives these answers.
    private func connect(_ script: AnswerScript) async throws -> CKContainer {
        let place = Place("iCloud.org.example.\(UUID().uuidString)", .development)
        let container = try CKContainer.connect(
            place, script, .program(token: Secret("api token+/=")),
            patience: RemotePatience { seconds in script.note(pause: seconds) })
        script.answers = [
            .success(.init(status: 200, "{\"ckWebAuthToken\":\"first\"}")),
            .success(.init(status: 200, "{\"userRecordName\":\"\(user)\"}")),
        ]
        try await container.signIn(accountName: "a&b", password: Secret("p w"))
        #expect(script.requests.map(\.text)[0].hasSuffix("accountName=a%26b&password=p%20w"))
        script.forget()
        return container
    }

    private func failure<R>(_ body: () async throws -> R) async -> CKError? {
        do { _ = try await body() } catch { return error as? CKError }
        return nil
    }

    @Test("sends the tokens escaped, and each fresh one from then on")
    func tokens() async throws {
        let script = AnswerScript()
        let container = try await connect(script)
        #expect(try await container.userRecordID().recordName == user)
        script.answers = [
            .success(.init(status: 200, "{\"zones\":[]}", fresh: "second")),
            .success(.init(status: 200, "{\"zones\":[]}")),
        ]
        for token in ["first", "second"] {
            #expect(try await container.privateCloudDatabase.allRecordZones().isEmpty)
            let target = try #require(script.requests.last?.target)
            #expect(target.contains("/private/zones/list?ckAPIToken=api%20token%2B%2F%3D&"))
            #expect(target.hasSuffix("&ckWebAuthToken=\(token)"))
        }
        try await container.close()
    }

    @Test("repeats what has not arrived, and never a change that may have been made")
    func retries() async throws {
        let script = AnswerScript()
        let database = try await connect(script).privateCloudDatabase
        let zones = RemoteAnswer(status: 200, "{\"zones\":[]}")
        let busy = RemoteAnswer(
            status: 503, "{\"serverErrorCode\":\"TRY_AGAIN_LATER\",\"retryAfter\":2}")
        script.answers = [.failure(.unreachable), .failure(.interrupted), .success(zones)]
        _ = try await database.allRecordZones()
        script.answers = [.success(busy), .success(zones)]
        _ = try await database.allRecordZones()
        #expect(script.pauses == [0.25, 0.5, 2])
        let zone = CKRecordZone(zoneName: "Z")
        for (code, count) in [(.interrupted, 1), (.unreachable, 3)]
            as [(RecordError.Code, Int)]
        {
            script.forget()
            script.answers = (0..<4).map { _ in .failure(code) }
            let error = await failure { try await database.save(zone) }
            #expect(error?.code == (count == 1 ? .networkFailure : .networkUnavailable))
            #expect(script.requests.count == count)
        }
        script.forget()
        script.answers = [.success(.init(status: 429, "", retryAfter: "600"))]
        let later = await failure { try await database.allRecordZones() }
        #expect(later?.code == .requestRateLimited && later?.retryAfterSeconds == 600)
        #expect(script.requests.count == 1 && script.pauses.isEmpty)
    }

    @Test("has no user any more when the service says so")
    func ended() async throws {
        let script = AnswerScript()
        let container = try await connect(script)
        script.answers = [.success(.init(status: 401, ""))]
        for _ in 0..<2 {
            let error = await failure { try await container.privateCloudDatabase.allRecordZones() }
            #expect(error?.code == .notAuthenticated)
        }
        #expect(script.requests.count == 1)
        #expect(try await container.accountStatus() == .noAccount)
    }

    @Test("takes no answer for another one, and follows no feed that never ends")
    func strange() async throws {
        let script = AnswerScript()
        let database = try await connect(script).privateCloudDatabase
        let zone = CKRecordZone.ID(zoneName: "Z")
        let record = CKRecord(
            recordType: "Note", recordID: CKRecord.ID(recordName: "r", zoneID: zone))
        for body in [
            "", "[]", "{\"records\":[]}", "{\"records\":[1]}", "{\"records\":[{},{}]}",
            "{\"records\":[{\"recordName\":\"other\",\"deleted\":true}]}", "\u{0}",
        ] {
            script.answers = [.success(.init(status: 200, body))]
            #expect(await failure { try await database.save(record) }?.code == .internalError)
            script.answers = [.success(.init(status: 200, body))]
            let read = await failure { try await database.record(for: record.recordID) }
            #expect(read?.code == .internalError)
        }
        let same = "{\"records\":[],\"zones\":[],\"syncToken\":\"AAAA\",\"moreComing\":true}"
        script.answers = (0..<3).map { _ in .success(.init(status: 200, same)) }
        let first = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
        let next = await failure {
            try await database.recordZoneChanges(inZoneWith: zone, since: first.changeToken)
        }
        #expect(next?.code == .internalError)
        let zones = await failure { try await database.databaseChanges(since: nil) }
        #expect(zones?.code == .internalError)
    }
}

/// A service that gives the answers of a script.
private final class AnswerScript: RemoteTransport {
    enum Step {
        case success(RemoteAnswer)
        case failure(RecordError.Code)
    }

    private struct State {
        var answers: [Step] = []
        var requests: [WebRequest] = []
        var pauses: [Double] = []
    }

    private let state = Mutex(State())

    var answers: [Step] {
        get { state.withLock { $0.answers } }
        set { state.withLock { $0.answers = newValue } }
    }
    var requests: [WebRequest] { state.withLock { $0.requests } }
    var pauses: [Double] { state.withLock { $0.pauses } }

    func note(pause: Double) { state.withLock { $0.pauses.append(pause) } }
    func forget() { state.withLock { $0 = State() } }

    func send(_ request: WebRequest) throws(RecordError) -> RemoteAnswer {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        switch step {
        case .success(let answer): return answer
        case .failure(let code): throw RecordError(code, "the script says so")
        case nil: throw RecordError(.internalError, "the script has ended")
        }
    }

    func beginUpload(to target: String) throws(RecordError) -> any RemoteUpload {
        throw RecordError(.internalError, "the script has no files")
    }

    func download(
        _ target: String, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws -> RemoteAnswer {
        throw RecordError(.internalError, "the script has no files")
    }

    func close() {}
}

extension RemoteAnswer {
    fileprivate init(
        status: Int, _ text: String, fresh: String? = nil, retryAfter: String? = nil
    ) {
        var headers: [WebHeader] = []
        if let fresh { headers.append(WebHeader(WebToken.header.lowercased(), fresh)) }
        if let retryAfter { headers.append(WebHeader("retry-after", retryAfter)) }
        self.init(status: status, headers: headers, body: Array(text.utf8))
    }
}

extension WebRequest {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
