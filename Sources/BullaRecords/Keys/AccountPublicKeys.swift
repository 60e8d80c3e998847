internal import BullaMemory

/// An account's public keys, which are its entry in the directory.
///
///     bytes  field
///         1  version: 1
///         4  epoch of the account
///        32  public key for agreement (X25519, RFC 7748)
///        32  public key for signatures (Ed25519, RFC 8032)
///        32  HMAC of all the above, of the account and of the document's version, under the
///            container's key for the directory
///
/// The container's key vouches for the entry, and a backend does not have that key: it can neither
/// replace an entry nor pass off one account's entry as another's. It can withhold an entry, or put
/// back an earlier document with its version.
package struct AccountPublicKeys: Hashable, Sendable {
    private static let version: UInt8 = 1

    package let epoch: UInt32
    package let agreement: [UInt8]
    package let signature: [UInt8]

    package init(epoch: UInt32, agreement: [UInt8], signature: [UInt8]) {
        (self.epoch, self.agreement, self.signature) = (epoch, agreement, signature)
    }

    /// The entry in the form in which the directory stores it.
    func bytes(
        of account: AccountIdentifier, version: UInt64, _ container: ContainerKeys
    ) throws(RecordError) -> [UInt8] {
        var bytes: [UInt8] = [Self.version]
        bytes.append(number: epoch)
        bytes += agreement + signature
        return try Self.voucher(account, version, container).vouched(bytes)
    }

    /// Reads an entry.
    ///
    /// - Throws: `damaged` if it is another account's, or not authentic.
    init(
        _ bytes: [UInt8], of account: AccountIdentifier, version: UInt64,
        _ container: ContainerKeys
    ) throws(RecordError) {
        guard let body = try Self.voucher(account, version, container).body(of: bytes),
            let keys = body.withView({ Self.keys($0) })
        else {
            throw RecordError(
                .damaged,
                "read the public keys of \(account.userRecordName): they are not the account's")
        }
        self = keys
    }

    private static func keys(_ view: ByteView) -> AccountPublicKeys? {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == version, let epoch = cursor.next(UInt32.self),
            let agreement = cursor.nextView(32), let signature = cursor.nextView(32),
            cursor.isAtEnd
        else { return nil }
        return AccountPublicKeys(
            epoch: epoch, agreement: agreement.copied(), signature: signature.copied())
    }

    private static func voucher(
        _ account: AccountIdentifier, _ version: UInt64, _ container: ContainerKeys
    ) -> Voucher {
        var tuple = ByteTuple("bulla records directory v1", container.place)
        tuple.append(account)
        tuple.append(version)
        return Voucher(container.directory, tuple)
    }
}
