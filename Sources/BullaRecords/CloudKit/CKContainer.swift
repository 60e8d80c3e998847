internal import Bulla
internal import Dispatch

/// A container: the databases of one program or family of programs.
///
/// A program opens it once, with the folder of its stores, and then finds it by its identifier
/// wherever it is needed:
///
/// ```swift
/// let identifier = "iCloud.org.example.notes"
/// let notes = try await CKContainer.open(identifier: identifier, at: folder, key: key)
/// try await notes.signIn(user, with: .password(password))
/// let database = CKContainer(identifier: identifier).privateCloudDatabase
/// ```
public final class CKContainer: Sendable {
    /// The two environments of a container.
    public enum Environment: Sendable {
        /// Saving a record can extend the schema.
        case development
        /// Records must conform to the schema.
        case production
    }

    /// The container's identifier; for the default container, `nil` if none is open.
    public var containerIdentifier: String? { identifier ?? found?.place.container }

    private let identifier: String?
    private let opened: (any RecordContainer)?

    /// The container with this identifier; if this process has several such containers open, the
    /// one that it opened first.
    ///
    /// If none is open, its operations throw ``CKError/Code/badContainer``, except
    /// ``accountStatus()``.
    public init(identifier: String) {
        self.identifier = identifier
        opened = nil
    }

    package init(_ opened: any RecordContainer) {
        identifier = opened.place.container
        self.opened = opened
    }

    private init() { (identifier, opened) = (nil, nil) }

    /// The default container: at each use, it stands for the container that was opened first among
    /// those that this process has open.
    public static func `default`() -> CKContainer { CKContainer() }

    private var found: (any RecordContainer)? {
        if let opened { return opened.isOpen ? opened : nil }
        return OpenContainers.first(identifier)
    }

    /// The open container.
    ///
    /// - Throws: `badContainer`.
    package func open() throws(CKError) -> any RecordContainer {
        if let found { return found }
        let name = identifier.map { "container \($0.told)" } ?? "the default container"
        throw CKError(.badContainer, "use \(name): it is not open")
    }

    /// The open container, whose stores must be in this process.
    ///
    /// - Throws: `badContainer`; `permissionFailure` if its stores are those of a service.
    func openHere() throws(CKError) -> OpenContainer {
        guard let open = try open() as? OpenContainer else {
            throw CKError(
                .permissionFailure,
                "manage a container: its stores are those of a service, whose operator does that")
        }
        return open
    }

    /// The public database, with the access that the schema grants; it refuses encrypted fields.
    public var publicCloudDatabase: CKDatabase { database(with: .public) }

    /// The database of the signed-in user, which only that user's keys open.
    public var privateCloudDatabase: CKDatabase { database(with: .private) }

    /// The zones that others share with the signed-in user, and that the user has accepted.
    public var sharedCloudDatabase: CKDatabase { database(with: .shared) }

    /// One of the three databases.
    public func database(with scope: CKDatabase.Scope) -> CKDatabase { CKDatabase(self, scope) }

    /// Whether a user is signed in; `couldNotDetermine` if the container is not open, or the
    /// accounts cannot be read.
    ///
    /// - Throws: never in this version.
    public func accountStatus() async throws -> CKAccountStatus {
        guard let open = try? open() else { return .couldNotDetermine }
        return await open.reading.run {
            do throws(RecordError) { return try open.user() == nil ? .noAccount : .available } catch
            {
                return .couldNotDetermine
            }
        }
    }

    /// The name of the signed-in user's record.
    ///
    /// - Throws: `notAuthenticated` if no user is signed in; `badContainer`.
    public func userRecordID() async throws -> CKRecord.ID {
        let open = try open()
        do throws(RecordError) {
            return try await open.reading.run { () throws(RecordError) in
                guard let account = try open.user() else {
                    throw RecordError(.notAuthenticated, "name the user: nobody has signed in")
                }
                return CKRecord.ID(recordName: account.userRecordName)
            }
        } catch { throw CKError(error) }
    }

    /// Runs a blocking operation off the threads that tasks share; operations run one at a time.
    func run<R: Sendable>(
        _ body: @escaping @Sendable (OpenContainer) throws(RecordError) -> R
    ) async throws(CKError) -> R {
        let open = try openHere()
        do throws(RecordError) {
            return try await open.accounts.run { () throws(RecordError) in try body(open) }
        } catch { throw CKError(error) }
    }
}
