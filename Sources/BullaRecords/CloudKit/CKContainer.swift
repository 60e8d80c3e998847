internal import Bulla
internal import Dispatch

/// A container: the databases of one program or family of programs.
///
/// A program opens it once, with the folder that its stores are in, and then finds it by its
/// identifier wherever it needs it:
///
/// ```swift
/// let identifier = "iCloud.org.example.notes"
/// let notes = try await CKContainer.open(identifier: identifier, at: folder, key: key)
/// try await notes.signIn(user, with: .password(password))
/// let database = CKContainer(identifier: identifier).privateCloudDatabase
/// ```
public final class CKContainer: Sendable {
    /// The two lives of a container.
    public enum Environment: Sendable {
        /// Records that are saved extend the schema.
        case development
        /// Records that are saved have to be as the schema says.
        case production
    }

    /// The container's identifier; `nil` for the default one, where none is open.
    public var containerIdentifier: String? { identifier ?? found?.place.container }

    private let identifier: String?
    private let opened: OpenContainer?

    /// The container of an identifier, of those that this process has open the one that was opened
    /// first.
    ///
    /// Where none is open, everything that is asked of it throws ``CKError/Code/badContainer``.
    public init(identifier: String) {
        self.identifier = identifier
        opened = nil
    }

    init(_ opened: OpenContainer) {
        identifier = opened.place.container
        self.opened = opened
    }

    private init() { (identifier, opened) = (nil, nil) }

    /// The container that this process has opened first, and has open still.
    public static func `default`() -> CKContainer { CKContainer() }

    private var found: OpenContainer? {
        if let opened { return opened.isOpen ? opened : nil }
        return OpenContainers.first(identifier)
    }

    /// The container with its stores.
    ///
    /// - Throws: `badContainer`.
    func open() throws(CKError) -> OpenContainer {
        if let found { return found }
        let name = identifier.map { "container \($0.told)" } ?? "the default container"
        throw CKError(.badContainer, "use \(name): it is not open")
    }

    /// What everybody sees, as far as the schema grants it; encrypted fields are refused.
    public var publicCloudDatabase: CKDatabase { database(with: .public) }

    /// What belongs to whoever is signed in, and opens under that account's keys alone.
    public var privateCloudDatabase: CKDatabase { database(with: .private) }

    /// What others share with whoever is signed in, and has accepted.
    public var sharedCloudDatabase: CKDatabase { database(with: .shared) }

    /// One of the three databases.
    public func database(with scope: CKDatabase.Scope) -> CKDatabase { CKDatabase(self, scope) }

    /// Whether somebody is signed in.
    ///
    /// - Throws: never in this version: `couldNotDetermine` says that it cannot be told.
    public func accountStatus() async throws -> CKAccountStatus {
        guard let open = try? open() else { return .couldNotDetermine }
        return await open.reading.run {
            guard let session = try? open.session(open.keys) else { return .couldNotDetermine }
            return session.account == nil ? .noAccount : .available
        }
    }

    /// The name of the user record of whoever is signed in.
    ///
    /// - Throws: `notAuthenticated` where nobody is; `badContainer`.
    public func userRecordID() async throws -> CKRecord.ID {
        try await run { open throws(RecordError) in
            guard let account = try open.session(open.keys).account else {
                throw RecordError(.notAuthenticated, "name the user: nobody has signed in")
            }
            return CKRecord.ID(recordName: account.userRecordName)
        }
    }

    /// Runs what is about accounts off the threads that tasks share.
    func run<R: Sendable>(
        _ body: @escaping @Sendable (OpenContainer) throws(RecordError) -> R
    ) async throws(CKError) -> R {
        let open = try open()
        do throws(RecordError) {
            return try await open.accounts.run { () throws(RecordError) in try body(open) }
        } catch { throw CKError(error) }
    }
}
