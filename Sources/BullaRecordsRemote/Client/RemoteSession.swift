internal import Bulla
internal import BullaMemory
internal import BullaRecords
internal import BullaText
internal import Synchronization

/// A user who has signed in to a service.
struct RemoteSession: Sendable {
    let account: AccountIdentifier
    let token: RemoteToken
}

/// The token of a user: replaced by each answer that brings a fresh one, until its session ends.
final class RemoteToken: Sendable {
    private let token: Mutex<Secret?>

    init(_ token: Secret) { self.token = Mutex(token) }

    var isOver: Bool { token.withLock { $0 == nil } }

    /// The token as text, for one request.
    ///
    /// - Throws: `notAuthenticated` if the session has ended.
    func text() throws(RecordError) -> String {
        guard let token = token.withLock({ $0 }) else {
            throw RecordError(.notAuthenticated, "use a service: the session has ended")
        }
        return token.text
    }

    /// Takes a fresh token from an answer.
    func renew(_ text: String) {
        // If the fresh token cannot be kept, nothing is lost: the former one stays valid for days.
        guard let fresh = try? Secret(text) else { return }
        token.withLock { if $0 != nil { $0 = fresh } }
    }

    /// Ends the session: wipes the token, and gives later requests none.
    ///
    /// Requests under way keep their copies of it.
    func end() { token.withLock { $0 = nil } }
}

extension Secret {
    var text: String {
        withBytes { bytes in
            bytes.withView { view in
                var copy = view.copied()
                defer { copy.wipe() }
                return String(decoding: copy, as: UTF8.self)
            }
        }
    }
}
