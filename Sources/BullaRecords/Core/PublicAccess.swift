/// What the roles of a session may do in the public database, as the schema grants it.
///
/// In a private database its owner may do everything.
struct PublicAccess {
    private let isLimited: Bool
    private let account: AccountIdentifier?

    init(_ view: DatabaseView) {
        account = view.session.account
        isLimited = view.database.isPublic && !view.session.isServer
    }

    /// Whether records of a type may be read.
    func mayRead(_ record: Record, _ schema: RecordSchema) -> Bool {
        !isLimited || privileges(record.type, record, schema).contains(.read)
    }

    /// - Throws: `permissionFailure`.
    func checkWrite(
        of type: String, _ current: Record?, _ schema: RecordSchema
    ) throws(RecordError) {
        let wanted: Privileges = current == nil ? .create : .write
        guard !isLimited || privileges(type, current, schema).contains(wanted) else {
            throw RecordError(
                .permissionFailure,
                current == nil
                    ? "make a record of type \(type): the schema does not grant it"
                    : "change a record of type \(type): the schema does not grant it")
        }
    }

    private func privileges(
        _ type: String, _ record: Record?, _ schema: RecordSchema
    ) -> Privileges {
        guard let known = schema.types[type] else { return [] }
        var roles = [SystemRole.world.rawValue]
        if let account {
            roles.append(SystemRole.icloud.rawValue)
            if record?.stamps.created.account == account {
                roles.append(SystemRole.creator.rawValue)
            }
        }
        return known.privileges(of: roles)
    }
}

extension Session {
    var isServer: Bool { if case .server = self { true } else { false } }
}
