/// What the reader of a share's record is told of the share, by a store or by a service.
package struct ToldShare: Hashable, Sendable {
    /// A participant besides the owner.
    package struct Member: Hashable, Sendable {
        package let permission: SharePermission
        package let acceptance: ShareAcceptance

        package init(_ permission: SharePermission, _ acceptance: ShareAcceptance) {
            (self.permission, self.acceptance) = (permission, acceptance)
        }
    }

    /// An invitation that nobody has taken.
    package struct Invitation: Hashable, Sendable {
        package let wish: RecordChange.InvitationWish
        /// The token that an account presents to take the invitation; `nil` for all readers but the
        /// owner.
        package let token: String?

        package init(_ wish: RecordChange.InvitationWish, token: String?) {
            (self.wish, self.token) = (wish, token)
        }
    }

    package let owner: AccountIdentifier
    /// The token by which participants accept the share; `nil` if the store or service gives none.
    package let token: String?
    package let participants: [AccountIdentifier: Member]
    package let invitations: [RandomIdentifier: Invitation]

    package init(
        _ owner: AccountIdentifier, token: String?, participants: [AccountIdentifier: Member],
        invitations: [RandomIdentifier: Invitation]
    ) {
        (self.owner, self.token) = (owner, token)
        (self.participants, self.invitations) = (participants, invitations)
    }
}

/// The description leaves out all tokens.
extension ToldShare: CustomStringConvertible, CustomReflectable {
    package var description: String {
        "a share with \(participants.count) participants and \(invitations.count) invitations"
    }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The description leaves out the token.
extension ToldShare.Invitation: CustomStringConvertible, CustomReflectable {
    package var description: String { "an invitation to a share" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Record {
    /// What a reader of this record is told of the share; `nil` if the record is not a share.
    ///
    /// - Parameter core: makes the token, if the share is in a store.
    func toldShare(_ core: RecordCore?) -> ToldShare? {
        guard isShare else { return nil }
        guard let sharing else { return told?.sharing }
        var tokens: [RandomIdentifier: ToldShare.Invitation] = [:]
        for (identifier, invitation) in sharing.invitations {
            tokens[identifier] = ToldShare.Invitation(
                .init(invitation.permission, expiry: invitation.expiry),
                token: invitations[identifier])
        }
        return ToldShare(
            sharing.owner, token: try? core?.shares.token(of: sharing),
            participants: sharing.participants.mapValues { .init($0.permission, $0.acceptance) },
            invitations: tokens)
    }
}
