internal import BullaMemory

/// An account's row in the keyring: 4 bytes of epoch, 16 bytes that name the vault, then the
/// service key, sealed in that vault for that epoch.
struct AccountRow: Hashable {
    let epoch: UInt32
    let vault: RandomIdentifier
    var sealedKey: [UInt8]

    init(epoch: UInt32, vault: RandomIdentifier, sealedKey: [UInt8]) {
        (self.epoch, self.vault, self.sealedKey) = (epoch, vault, sealedKey)
    }

    init(_ bytes: [UInt8]) throws(RecordError) {
        let row = bytes.withView { view -> AccountRow? in
            var cursor = ByteCursor(view)
            guard let epoch = cursor.next(UInt32.self), let vault = cursor.nextIdentifier(),
                let sealedKey = cursor.nextView(cursor.leftByteCount)
            else { return nil }
            return AccountRow(epoch: epoch, vault: vault, sealedKey: sealedKey.copied())
        }
        guard let row else { throw RecordError(.damaged, "read an account: its row is malformed") }
        self = row
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: epoch)
        return bytes + vault.bytes + sealedKey
    }

    /// The name of the vault that the account's password opens.
    func vaultName(_ account: AccountIdentifier) -> String {
        Self.vaultPrefix(account) + vault.text
    }

    /// The prefix of the names of all vaults of an account.
    static func vaultPrefix(_ account: AccountIdentifier) -> String {
        "account \(account.identifier.text) "
    }
}
