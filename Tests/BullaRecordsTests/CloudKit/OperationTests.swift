import BullaRecords
import Foundation
import Synchronization
import Testing

@Suite("Operations that tell by blocks")
struct OperationTests {
    private let fixture: ContainerFixture
    private let database: CKDatabase

    init() async throws {
        fixture = try await ContainerFixture()
        database = try await fixture.database()
    }

    private final class Told: Sendable {
        let saved = Mutex<[CKRecord.ID: CKError.Code?]>([:])
        let deleted = Mutex<[CKRecord.ID: CKError.Code?]>([:])
    }

    private func run(
        _ operation: CKModifyRecordsOperation, _ told: Told = Told()
    ) async -> Result<Void, any Error> {
        operation.perRecordSaveBlock = { id, result in
            told.saved.withLock { $0[id] = .some(result.code) }
        }
        operation.perRecordDeleteBlock = { id, result in
            told.deleted.withLock { $0[id] = .some(result.code) }
        }
        return await withCheckedContinuation { continuation in
            operation.modifyRecordsResultBlock = { continuation.resume(returning: $0) }
            database.add(operation)
        }
    }

    @Test("A partial failure has the errors by the names of records")
    func partialFailure() async throws {
        try await database.save(.note("there"))
        let (new, there) = (CKRecord.note("new", "t"), CKRecord.note("there", "t"))
        let gone = CKRecord.note("gone").recordID
        let (operation, told) = (
            CKModifyRecordsOperation(recordsToSave: [new, there], recordIDsToDelete: [gone]), Told()
        )
        let result = await run(operation, told)
        guard case .failure(let error) = result else {
            Issue.record("it must fail")
            return
        }
        #expect(result.code == .partialFailure)
        #expect(told.saved.withLock { $0[new.recordID] } == .batchRequestFailed)
        #expect(told.saved.withLock { $0[there.recordID] } == .serverRecordChanged)
        #expect(told.deleted.withLock { $0[gone] } == .batchRequestFailed)
        let errors = (error as NSError).userInfo[CKPartialErrorsByItemIDKey]
        let byID = try #require(errors as? [AnyHashable: any Error])
        #expect(byID.count == 3)
        let conflict = try #require(byID[there.recordID] as? CKError)
        #expect(conflict.code == .serverRecordChanged && conflict.serverRecord != nil)
        #expect((error as? CKError)?.partialErrorsByItemID?[gone] != nil)
    }

    @Test("An operation that is not atomic, or that insists, does the rest, or all")
    func policies() async throws {
        try await database.save(.note("there"))
        let (new, there) = (CKRecord.note("new", "t"), CKRecord.note("there", "t"))
        let operation = CKModifyRecordsOperation(recordsToSave: [new, there])
        operation.isAtomic = false
        #expect(await run(operation).code == .partialFailure)
        #expect(new.recordChangeTag != nil && there.recordChangeTag == nil)
        operation.savePolicy = .changedKeys
        #expect(await run(operation).code == nil)
        #expect(try await database.record(for: there.recordID)["title"] as? String == "t")
    }

    @Test("What fails as a whole says so, and nothing of single records")
    func wholeFailures() async throws {
        let told = Told()
        let twice = CKModifyRecordsOperation(recordsToSave: [.note("a"), .note("a")])
        #expect(await run(twice, told).code == .invalidArguments)
        try fixture.container.signOut()
        let nobody = CKModifyRecordsOperation(recordsToSave: [.note("a")])
        #expect(await run(nobody, told).code == .notAuthenticated)
        #expect(told.saved.withLock { $0.isEmpty })
    }
}
