/// What a caller asks to be done with one record.
package struct RecordChange: Sendable {
    package let name: String
    package let kind: Kind

    package enum Kind: Sendable {
        case save(Save)
        case delete(Condition)
    }

    /// What must be so for a change to be made.
    package enum Condition: Hashable, Sendable {
        /// There is no such record.
        case isNew
        /// The record is as the caller has read it.
        case isUnchanged(ChangeTag)
        /// Nothing: what others have changed is written over.
        case none
    }

    /// A record to be saved.
    package struct Save: Sendable {
        package let type: String
        package let condition: Condition
        /// Whether fields that are not named go.
        package let isReplacing: Bool
        /// `nil` removes a field.
        package let fields: [String: FieldChange?]
        /// `nil` leaves it as it is.
        package let parent: ParentChange?
        /// Who is to take part, all of them, where the record is the share of its zone; `nil`
        /// leaves it as it is.
        ///
        /// Who is new there has to accept, and so has an account whose keys were reset since it was
        /// named.
        package let participants: [AccountIdentifier: SharePermission]?

        package init(
            _ type: String, _ condition: Condition, isReplacing: Bool = false,
            fields: [String: FieldChange?], parent: ParentChange? = nil,
            participants: [AccountIdentifier: SharePermission]? = nil
        ) {
            (self.type, self.condition, self.isReplacing) = (type, condition, isReplacing)
            (self.fields, self.parent, self.participants) = (fields, parent, participants)
        }
    }

    /// What a field is to hold.
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

    var save: Save? { if case .save(let save) = kind { save } else { nil } }

    var condition: Condition {
        switch kind {
        case .save(let save): save.condition
        case .delete(let condition): condition
        }
    }
}

/// What became of one change.
package enum ChangeResult: Sendable {
    case saved(Record)
    case deleted
    /// It was not made; `current` is the record that stands there, where that is why.
    case failed(RecordError, current: Record?)

    package var error: RecordError? {
        if case .failed(let error, _) = self { error } else { nil }
    }
}
