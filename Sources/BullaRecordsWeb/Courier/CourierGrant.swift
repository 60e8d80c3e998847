import BullaMemory
import BullaRecords

/// The permission to wait for changes in an account's databases.
///
/// It contains a digest of the state that the databases were in when the client got the token.
///
///     bytes  field
///        16  identifier of the token
///        16  account
///        16  mark: the digest of the databases
struct CourierGrant: Hashable, Sendable {
    let token: RandomIdentifier
    let account: AccountIdentifier
    let mark: [UInt8]

    init(_ token: RandomIdentifier, _ account: AccountIdentifier, mark: [UInt8]) {
        (self.token, self.account, self.mark) = (token, account, mark)
    }

    var bytes: [UInt8] { token.bytes + account.identifier.bytes + mark }

    init?(_ bytes: [UInt8]) {
        let read = bytes.withView { view -> CourierGrant? in
            var cursor = ByteCursor(view)
            guard let token = cursor.nextIdentifier(), let account = cursor.nextIdentifier(),
                let mark = cursor.nextView(RecordCore.changeMarkByteCount), cursor.isAtEnd
            else { return nil }
            return CourierGrant(token, AccountIdentifier(account), mark: mark.copied())
        }
        guard let read else { return nil }
        self = read
    }
}
