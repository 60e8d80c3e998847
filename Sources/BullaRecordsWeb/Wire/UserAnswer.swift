package import BullaRecords

/// What `users/current` and `users/caller` answer.
package struct UserAnswer: Hashable, Sendable {
    package let userRecordName: String

    package init(_ account: AccountIdentifier) { userRecordName = account.userRecordName }

    package func bytes() -> [UInt8] {
        answer { $0.member("userRecordName", userRecordName) }
    }
}
