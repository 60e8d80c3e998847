/// A requested change of one record.
package struct RecordChange: Sendable {
    package let name: String
    package let kind: Kind

    package enum Kind: Sendable {
        case save(Save)
        case delete(Condition)
    }

    /// What must hold for the change to be made.
    package enum Condition: Hashable, Sendable {
        /// There is no record with this name.
        case isNew
        /// The record is as the caller has read it.
        case isUnchanged(ChangeTag)
        /// No condition: changes by others are overwritten.
        case none
    }

    /// A record to be saved.
    package struct Save: Sendable {
        package let type: String
        package let condition: Condition
        /// Whether the save removes the fields that it does not name.
        package let isReplacing: Bool
        /// The new values of fields; `nil` removes a field.
        package let fields: [String: FieldChange?]
        /// The new parent; `nil` removes the parent if the save is replacing and the caller sees
        /// the parent, and otherwise leaves it as it is.
        package let parent: ParentChange?
        /// If the record is a share, all its participants; `nil` leaves them as they are.
        ///
        /// New participants have to accept, and so do accounts whose keys were reset after the
        /// accounts were added.
        package let participants: [AccountIdentifier: SharePermission]?
        /// If the record is a share, all its invitations, each of which one account may take; `nil`
        /// leaves them as they are.
        package let invitations: [RandomIdentifier: InvitationWish]?
        /// If the record is a share of one record, the name of that record; `nil` leaves it as it
        /// is.
        package let root: String?

        package init(
            _ type: String, _ condition: Condition, isReplacing: Bool = false,
            fields: [String: FieldChange?], parent: ParentChange? = nil,
            participants: [AccountIdentifier: SharePermission]? = nil, root: String? = nil,
            invitations: [RandomIdentifier: InvitationWish]? = nil
        ) {
            (self.type, self.condition, self.isReplacing) = (type, condition, isReplacing)
            (self.fields, self.parent) = (fields, parent)
            (self.participants, self.root) = (participants, root)
            self.invitations = invitations
        }
    }

    /// An invitation that one account may take.
    package struct InvitationWish: Hashable, Sendable {
        package let permission: SharePermission
        /// Milliseconds since 1970.
        package let expiry: Int64

        package init(_ permission: SharePermission, expiry: Int64) {
            (self.permission, self.expiry) = (permission, expiry)
        }
    }

    /// A field's new value.
    package struct FieldChange: Hashable, Sendable {
        package let value: RecordValue
        package let isEncrypted: Bool

        package init(_ value: RecordValue, isEncrypted: Bool = false) {
            (self.value, self.isEncrypted) = (value, isEncrypted)
        }
    }

    package enum ParentChange: Hashable, Sendable {
        case none
        case record(RecordIdentifier)
    }

    package init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

    /// Whether the change saves a share.
    var isShare: Bool { save?.type == SystemType.share }

    var save: Save? { if case .save(let save) = kind { save } else { nil } }

    var condition: Condition {
        switch kind {
        case .save(let save): save.condition
        case .delete(let condition): condition
        }
    }
}

/// The result of one change.
package enum ChangeResult: Sendable {
    case saved(Record)
    case deleted
    /// The change was not made; if that is because the record does not meet the condition,
    /// `current` is the record as it is now.
    case failed(RecordError, current: Record?)

    package var error: RecordError? {
        if case .failed(let error, _) = self { error } else { nil }
    }
}
