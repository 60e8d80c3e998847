/// A user of the service, within one container's environment.
package struct AccountIdentifier: Hashable, Sendable {
    package let identifier: RandomIdentifier

    package init(_ identifier: RandomIdentifier) { self.identifier = identifier }

    /// The name of the user's record, as in `ownerRecordName` and in the creation and modification
    /// data of records: an underscore and 32 hexadecimal digits.
    package var userRecordName: String { "_" + identifier.text }

    package init?(userRecordName: String) {
        guard userRecordName.utf8.first == UInt8(ascii: "_"),
            let identifier = RandomIdentifier(text: String(userRecordName.dropFirst()))
        else { return nil }
        self.init(identifier)
    }
}
