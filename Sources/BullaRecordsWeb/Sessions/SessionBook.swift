package import Bulla
internal import BullaCipher
internal import BullaMemory
package import BullaRecords
internal import Synchronization

/// The sessions, programs and servers of an account keyring.
///
/// For each request, it asks the keyring whether the session is valid. So the end of a session, or
/// a reset of its account's keys, takes effect in all processes at once. Only the opened keys of
/// the sessions are remembered.
package final class SessionBook: Sendable {
    /// How long sessions last, in milliseconds.
    package struct Lifetimes: Hashable, Sendable {
        /// The time from the sign-in, or from the answer that returned the session's token, to the
        /// end of the session.
        package var session: Int64 = 14 * 86_400_000
        /// The time from the beginning of a session until answers return the token of a new
        /// session.
        ///
        /// The old session's token stays valid until the old session ends.
        package var renewal: Int64 = 86_400_000

        package init() {}
    }

    private let keyring: AccountKeyring
    private let lifetimes: Lifetimes
    private let clock: WebService.Clock
    private let opened = Mutex<[RandomIdentifier: AccountKeys]>([:])
    private let openedLimit: Int

    /// - Parameter openedLimit: the maximum number of sessions whose opened keys are remembered.
    package init(
        _ keyring: AccountKeyring, lifetimes: Lifetimes = Lifetimes(), openedLimit: Int = 10_000,
        clock: @escaping WebService.Clock
    ) {
        (self.keyring, self.lifetimes, self.clock) = (keyring, lifetimes, clock)
        self.openedLimit = openedLimit
    }

    /// Signs a user in; this takes as long as stretching a password, even if no account has the
    /// name.
    ///
    /// - Returns: the token for the user's client; `nil` if no account has this name and password.
    package func signIn(
        _ name: String, with key: StoreKey, in place: Place
    ) throws(WebError) -> String? {
        let now = clock()
        let token = WebToken(try Self.newSession())
        do throws(RecordError) {
            guard let account = try keyring.names.account(named: name, in: place) else {
                try keyring.openNobody(with: key)
                return nil
            }
            try keyring.sessions.begin(
                token.session, of: account, in: place, unlockedBy: key,
                for: now..<now + lifetimes.session)
        } catch {
            guard error.code == .authenticationFailed || error.code == .unknownItem else {
                throw WebError(error)
            }
            return nil
        }
        return token.text()
    }

    /// Whether the container exists.
    func knows(_ place: Place) throws(WebError) -> Bool {
        do throws(RecordError) { return try keyring.containers.contains(place) } catch {
            throw WebError(error)
        }
    }

    /// Ends the session of a token; does nothing for an invalid token.
    package func signOut(_ token: String, in place: Place) throws(WebError) {
        guard let token = try Self.token(token) else { return }
        do throws(RecordError) { _ = try keyring.sessions.end(token.session, in: place) } catch {
            throw WebError(error)
        }
        let identifier = token.session.identifier
        opened.withLock { $0[identifier] = nil }
    }

    /// Deletes the sessions that have ended, and forgets the opened keys of all sessions.
    package func tidy(_ place: Place) throws(WebError) {
        do throws(RecordError) {
            try keyring.sessions.forget(endedBefore: clock(), in: place)
        } catch { throw WebError(error) }
        opened.withLock { $0.removeAll() }
    }

    private static func newSession() throws(WebError) -> SessionKey {
        do throws(CipherError) { return try SessionKey.random() } catch {
            throw WebError(.tryAgainLater, "begin a session: \(error)", retryAfter: 1)
        }
    }

    private static func token(_ text: String) throws(WebError) -> WebToken? {
        do throws(MemoryError) { return try WebToken(text) } catch {
            throw WebError(.tryAgainLater, "read a token: no memory could be locked", retryAfter: 1)
        }
    }
}

extension SessionBook: SessionKeeper {
    package func knows(apiToken: String, in place: Place) throws(WebError) -> Bool {
        do throws(RecordError) { return try keyring.programs.knows(apiToken, in: place) } catch {
            throw WebError(error)
        }
    }

    package func user(
        webAuthToken text: String, in place: Place
    ) throws(WebError) -> SignedInUser? {
        guard let token = try Self.token(text) else { return nil }
        let now = clock()
        let session: AccountSession
        let keys: AccountKeys
        do throws(RecordError) {
            guard let found = try keyring.sessions.session(token.session, in: place, now: now),
                let opened = try self.keys(token, found, place, now)
            else { return nil }
            (session, keys) = (found, opened)
        } catch { throw WebError(error) }
        guard now >= session.begun + lifetimes.renewal else {
            return SignedInUser(keys, freshToken: text)
        }
        return try renewed(token, place, now).map { SignedInUser(keys, freshToken: $0) }
    }

    /// A new token for the account of `token`; `nil` if the session of `token` has just ended.
    private func renewed(
        _ token: borrowing WebToken, _ place: Place, _ now: Int64
    ) throws(WebError) -> String? {
        do throws(RecordError) {
            let sessions = keyring.sessions
            guard let key = try sessions.successor(of: token.session, in: place, now: now) else {
                return nil
            }
            let next = WebToken(key)
            let isOn = try sessions.continue(
                token.session, as: next.session, in: place, for: now..<now + lifetimes.session)
            return isOn ? next.text() : nil
        } catch { throw WebError(error) }
    }

    private func keys(
        _ token: borrowing WebToken, _ session: AccountSession, _ place: Place, _ now: Int64
    ) throws(RecordError) -> AccountKeys? {
        let identifier = token.session.identifier
        let known = opened.withLock { $0[identifier] }
        if let known, known.epoch == session.epoch { return known }
        guard let keys = try keyring.sessions.keys(of: token.session, in: place, now: now) else {
            return nil
        }
        opened.withLock { opened in
            if opened.count >= openedLimit { opened.removeAll() }
            opened[identifier] = keys
        }
        return keys
    }

    /// Records a write's signature for all processes; see ``ReplayMemory/Keeper``.
    package func takeSignature(
        _ first: [UInt8], by keyID: String, until end: Int64
    ) throws(WebError) -> Bool {
        do throws(RecordError) {
            return try keyring.signatures.take(first, by: keyID, until: end)
        } catch { throw WebError(error) }
    }

    /// The key of an admitted server.
    package func serverKey(_ keyID: String, in place: Place) throws(WebError) -> ServerKey? {
        do throws(RecordError) {
            let server = try keyring.servers.server(keyID, in: place)
            return server.map { ServerKey(publicKey: $0.publicKey) }
        } catch { throw WebError(error) }
    }
}
