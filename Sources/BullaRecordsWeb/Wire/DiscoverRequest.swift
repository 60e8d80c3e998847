package import BullaRecords

/// A request of `users/discover`: the users about whom a client asks.
package struct DiscoverRequest: Hashable, Sendable {
    /// The users that the request names by their record names.
    ///
    /// Accounts have no mail addresses or telephone numbers here, so the service ignores users that
    /// the request names by a mail address or a telephone number.
    package let accounts: [AccountIdentifier]

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        var accounts: [AccountIdentifier] = []
        for info in try value.requiredList("lookupInfos", limit: context.limits.itemLimit) {
            guard let name = try info.asObject().optionalText("userRecordName"),
                let account = AccountIdentifier(userRecordName: name), !accounts.contains(account)
            else { continue }
            accounts.append(account)
        }
        self.accounts = accounts
    }
}

/// The answer of `users/discover`: which of the users in the request have an account.
package struct DiscoverAnswer: Hashable, Sendable {
    package let accounts: [AccountIdentifier]

    package init(_ accounts: [AccountIdentifier]) { self.accounts = accounts }

    package func bytes() -> [UInt8] {
        answer { writer in
            writer.list("users", accounts) { account, writer in writer.userIdentity(account) }
        }
    }
}
