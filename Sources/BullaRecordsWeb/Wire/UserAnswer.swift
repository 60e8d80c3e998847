package import BullaRecords

/// The answer of `users/current` and `users/caller`.
package struct UserAnswer: Hashable, Sendable {
    package let userRecordName: String

    package init(_ account: AccountIdentifier) { userRecordName = account.userRecordName }

    package func bytes() -> [UInt8] {
        answer { $0.member("userRecordName", userRecordName) }
    }
}
