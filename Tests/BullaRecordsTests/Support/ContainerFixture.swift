import Bulla
import BullaRecords
import BullaTestSupport
import Foundation
import Testing

/// A container in its own folder, with an account that is signed in.
final class ContainerFixture: Sendable {
    let identifier: String
    let container: CKContainer
    let user: CKRecord.ID
    private let scratch: Scratch

    static let zoneID = CKRecordZone.ID(zoneName: "Notes")

    init(_ environment: CKContainer.Environment = .development) async throws {
        identifier = "iCloud.org.example.\(UUID().uuidString)"
        scratch = try Scratch()
        container = try await Self.open(identifier, scratch.folder, environment)
        user = try await container.createAccount(unlockedBy: Self.key(1))
        try await container.signIn(user, with: Self.key(1))
    }

    deinit {
        let container = container
        Task { try await container.close() }
    }

    /// The same stores, opened as by another process; nobody is signed in.
    func reopened(
        _ environment: CKContainer.Environment = .development
    ) async throws -> CKContainer {
        try await Self.open(identifier, scratch.folder, environment)
    }

    private static func open(
        _ identifier: String, _ folder: String, _ environment: CKContainer.Environment
    ) async throws -> CKContainer {
        try await CKContainer.open(
            identifier: identifier, environment: environment, at: folder, key: key(0))
    }

    var folder: String { scratch.folder }

    /// A raw key, because stretching passwords takes time.
    static func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 7 &+ number })
    }

    /// The private database, with a zone in it.
    func database() async throws -> CKDatabase {
        let database = container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: Self.zoneID))
        return database
    }
}

extension CKRecord {
    /// A record of the fixture's zone.
    static func note(_ name: String, _ title: String? = nil) -> CKRecord {
        let id = CKRecord.ID(recordName: name, zoneID: ContainerFixture.zoneID)
        let record = CKRecord(recordType: "Note", recordID: id)
        record["title"] = title
        return record
    }
}

/// The error of `body`; `nil` if it throws none.
func failure<R>(_ body: () async throws -> R) async throws -> CKError? {
    do {
        _ = try await body()
        return nil
    } catch let error as CKError { return error }
}

/// Expects `body` to throw an error of this kind.
func expect<R>(
    _ code: CKError.Code, _ location: SourceLocation = #_sourceLocation,
    _ body: () async throws -> R
) async throws {
    let error = try await failure(body)
    #expect(error?.code == code, "\(String(describing: error))", sourceLocation: location)
}

extension Result {
    /// The kind of the error; `nil` if there is none.
    var code: CKError.Code? {
        if case .failure(let error) = self { (error as? CKError)?.code } else { nil }
    }
}
