package import BullaRecords
package import BullaRecordsWeb

/// The sessions of a service that has a console; they accept the console's passes as well as the
/// tokens of programs.
///
/// A pass is a ticket for one container. The console gives it only to a user who has signed in, and
/// the service does not store it. All passes end when the console is turned off.
package struct ConsoleSessions: SessionKeeper {
    private let book: SessionBook
    private let stores: ServiceStores
    private let clock: WebService.Clock

    package init(_ book: SessionBook, _ stores: ServiceStores, clock: @escaping WebService.Clock) {
        (self.book, self.stores, self.clock) = (book, stores, clock)
    }

    package func knows(apiToken: String, in place: Place) throws(WebError) -> Bool {
        if try book.knows(apiToken: apiToken, in: place) { return true }
        let core: RecordCore?
        do throws(RecordError) { core = try stores.core(of: place) } catch {
            throw WebError(error)
        }
        guard let core else { return false }
        do throws(WebTickets.Fault) {
            _ = try WebTickets(core, clock).body(.console, apiToken)
            return true
        } catch {
            guard case .failed(let error) = error else { return false }
            throw WebError(error)
        }
    }

    package func user(
        webAuthToken token: String, in place: Place
    ) throws(WebError) -> SignedInUser? {
        try book.user(webAuthToken: token, in: place)
    }
}
