package import Bulla
package import BullaRecords
import BullaTestSupport
import Foundation

/// The stores of records and accounts in one folder, which a test and its workers have open.
package final class TrialSite: Sendable {
    package static let place = Place("iCloud.org.example.trials", .development)

    package let records: Store
    package let accounts: Store
    package let keyring: AccountKeyring
    package let core: RecordCore

    package init(_ folder: String, limits: RecordLimits = RecordLimits()) throws {
        records = try Self.open(Self.recordsPath(folder), Self.key(0))
        accounts = try Self.open(Self.accountsPath(folder), Self.key(1))
        keyring = AccountKeyring(accounts)
        core = try RecordCore.open(
            EmbeddedBackend(records), keyring, Self.place, key: Self.key(1), limits: limits,
            clock: { Int64(Date().timeIntervalSince1970 * 1_000) })
    }

    private static func open(_ path: String, _ key: StoreKey) throws -> Store {
        var options = StoreOptions()
        options.lockTimeout = TestMode.patience
        return try Store.open(at: path, key: key, options: options)
    }

    package static func recordsPath(_ folder: String) -> String { folder + "/records.bulla" }
    package static func accountsPath(_ folder: String) -> String { folder + "/accounts.bulla" }

    /// Keys by numbers: 0 for records, 1 for accounts, higher ones for users.
    package static func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 11 &+ number })
    }

    /// The private database of an account, unlocked by a key.
    package func view(
        _ account: AccountIdentifier, _ key: StoreKey? = nil
    ) throws -> DatabaseView {
        let key = try key ?? Self.key(2)
        let keys = try keyring.unlock(account, in: Self.place, with: key)
        return try core.database(.private, .account(keys))
    }

    package func close() throws {
        core.end()
        try records.close()
        try accounts.close()
    }
}
