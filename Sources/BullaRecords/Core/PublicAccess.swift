/// What the schema allows the roles of a session in the public database.
///
/// In a private database, the owner may do everything.
struct PublicAccess {
    private let isLimited: Bool
    private let account: AccountIdentifier?
    /// The roles that were granted to the account.
    private let roles: Set<String>

    /// - Parameter schema: a schema without roles grants nobody any.
    init(_ view: DatabaseView, _ schema: RecordSchema) throws(RecordError) {
        account = view.session.account
        isLimited = view.database.isPublic && !view.session.isServer
        guard isLimited, !schema.roles.isEmpty, let account else {
            roles = []
            return
        }
        roles = try view.core.roles(account)
    }

    /// Whether records of a type can be read.
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
        var roles = roles.union([SystemRole.world.rawValue])
        if let account {
            roles.insert(SystemRole.icloud.rawValue)
            if record?.stamps.created.account == account {
                roles.insert(SystemRole.creator.rawValue)
            }
        }
        return known.privileges(of: roles)
    }
}

extension Session {
    var isServer: Bool { if case .server = self { true } else { false } }
}
