internal import BullaMemory

/// The participants in the share of a zone or of a record, other than the owner, and the share's
/// open invitations.
///
/// The zone's head keeps them in this form:
///
///     bytes  field
///         4  how many participants
///         n  each: account 16, epoch of the account 4, permission 1, acceptance 1, how many wraps
///            4, the wraps (each: epoch of the key 4, ``ParticipantWrap`` 156), and a byte: 1 if a
///            ``ClaimedInvitation`` follows, otherwise 0
///         4  how many invitations
///         n  each: identifier 16, ``OneTimeInvitation``
package struct ZoneShare: Hashable, Sendable {
    package var participants: [AccountIdentifier: ShareParticipant]
    /// Invitations that nobody has taken.
    package var invitations: [RandomIdentifier: OneTimeInvitation] = [:]

    package init(_ participants: [AccountIdentifier: ShareParticipant] = [:]) {
        self.participants = participants
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(number: UInt32(participants.count))
        // Sorted, so that equal participants give equal bytes.
        let sorted = participants.sorted { $0.key.identifier.text < $1.key.identifier.text }
        for (account, participant) in sorted {
            bytes += account.identifier.bytes
            bytes.append(number: participant.accountEpoch)
            bytes.append(participant.permission.rawValue)
            bytes.append(participant.acceptance.rawValue)
            bytes.append(wraps: participant.wraps)
            bytes.append(participant.claim == nil ? 0 : 1)
            participant.claim?.append(to: &bytes)
        }
        bytes.append(number: UInt32(invitations.count))
        for (identifier, invitation) in invitations.sorted(by: { $0.key.text < $1.key.text }) {
            bytes += identifier.bytes
            invitation.append(to: &bytes)
        }
    }

    init?(_ cursor: inout ByteCursor) {
        guard let count = cursor.next(UInt32.self) else { return nil }
        participants = [:]
        for _ in 0..<count {
            guard let account = cursor.nextIdentifier(),
                let participant = ShareParticipant(&cursor)
            else { return nil }
            participants[AccountIdentifier(account)] = participant
        }
        guard let invitationCount = cursor.next(UInt32.self) else { return nil }
        for _ in 0..<invitationCount {
            guard let identifier = cursor.nextIdentifier(),
                let invitation = OneTimeInvitation(&cursor)
            else { return nil }
            invitations[identifier] = invitation
        }
    }
}

/// One participant.
package struct ShareParticipant: Hashable, Sendable {
    /// The epoch of the account's keys that open the wraps; the keys of a later epoch, after a
    /// reset, do not.
    package var accountEpoch: UInt32
    package var permission: SharePermission
    package var acceptance: ShareAcceptance
    /// The keys of the zone, or of the share, wrapped for the participant, by epoch.
    package var wraps: [UInt32: [UInt8]]
    /// The invitation with which the participant joined; `nil` if there was none, or once the owner
    /// has wrapped the keys for the account itself.
    package var claim: ClaimedInvitation?

    package init(
        accountEpoch: UInt32, _ permission: SharePermission,
        _ acceptance: ShareAcceptance = .pending, wraps: [UInt32: [UInt8]] = [:]
    ) {
        (self.accountEpoch, self.permission) = (accountEpoch, permission)
        (self.acceptance, self.wraps) = (acceptance, wraps)
    }

    fileprivate init?(_ cursor: inout ByteCursor) {
        guard let accountEpoch = cursor.next(UInt32.self),
            let permission = cursor.next(UInt8.self).flatMap({ SharePermission(rawValue: $0) }),
            let acceptance = cursor.next(UInt8.self).flatMap({ ShareAcceptance(rawValue: $0) }),
            let wraps = cursor.nextWraps(ParticipantWrap.byteCount),
            let hasClaim = cursor.next(UInt8.self), hasClaim <= 1
        else { return nil }
        self.init(accountEpoch: accountEpoch, permission, acceptance, wraps: wraps)
        guard hasClaim == 1 else { return }
        guard let claim = ClaimedInvitation(&cursor) else { return nil }
        self.claim = claim
    }
}

/// A participant's permission for the shared records.
package enum SharePermission: UInt8, CaseIterable, Sendable {
    case readOnly = 1
    case readWrite = 2
}

/// Whether a participant has accepted the share; until then, the shared records are not in the
/// participant's shared database.
package enum ShareAcceptance: UInt8, CaseIterable, Sendable {
    case pending = 1
    case accepted = 2
}
