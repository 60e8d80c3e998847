package import Dispatch

/// An open container, whose data is either in stores that this process has opened, or at a service.
package protocol RecordContainer: AnyObject, Sendable {
    /// Opens a database when an operation is about to use it.
    typealias DatabaseOpener = @Sendable () throws(RecordError) -> any RecordDatabase

    var place: Place { get }
    var isOpen: Bool { get }
    /// The signed-in user, as far as this process has been told.
    var presence: UserPresence { get }
    /// Queues for blocking calls, which must not run on the threads that tasks share.
    var reading: DispatchQueue { get }
    var writing: DispatchQueue { get }

    /// The signed-in user; `nil` for nobody.
    func user() throws(RecordError) -> AccountIdentifier?
    /// An opener for a database of the user who is signed in now; once that user has signed out, or
    /// another has signed in, the opener or the database throws `notAuthenticated`.
    ///
    /// - Parameter user: the user who has to be signed in; `nil` if any user will do.
    /// - Throws: `notAuthenticated` if `user` is not signed in; at a service also if nobody is
    ///   signed in, unless the database is public.
    func database(
        _ scope: DatabaseScope, of user: String?
    ) throws(RecordError) -> DatabaseOpener
    /// Waits until some process may have changed a database; the call can return early.
    ///
    /// - Parameter mark: the result of the last call that did not return `nil`; 0 at the beginning.
    /// - Returns: the argument for the next call; `nil` if nothing has changed.
    func waitForChange(after mark: UInt64, timeout: Duration) throws(RecordError) -> UInt64?
    func signOut()
    func close() throws(RecordError)
}

extension RecordContainer {
    /// Checks that a database is for the signed-in user, or for any user.
    ///
    /// - Parameters:
    ///   - account: the signed-in user; `nil` for nobody.
    ///   - user: the user for whom the database is; `nil` if it is for any user.
    /// - Throws: `notAuthenticated` if `user` is not signed in.
    package func check(
        _ account: AccountIdentifier?, is user: String?
    ) throws(RecordError) {
        guard user == nil || account?.userRecordName == user else {
            throw RecordError(
                .notAuthenticated, "use a database: its user is not signed in any more")
        }
    }
}

/// The user of a container in this process.
package enum UserPresence: Hashable, Sendable {
    /// The user whose record has this name is signed in.
    case user(String)
    /// The last user to sign in has signed out.
    case nobody
    /// No user has signed in yet, or the user has to sign in again, for example after a reset of
    /// keys.
    case unknown
}
