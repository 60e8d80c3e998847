/// What the schema allows a session to do in the public database.
///
/// It limits nothing in private and shared databases, and nothing for a server that signs its
/// requests.
struct PublicAccess {
    private let isLimited: Bool
    private let account: AccountIdentifier?
    /// The roles that were granted to the account.
    private let roles: Set<String>

    /// - Parameter schema: if it has no roles, the account's roles are not looked up.
    init(_ view: DatabaseView, _ schema: RecordSchema) throws(RecordError) {
        account = view.session.account
        isLimited = view.database.isPublic && !view.session.isServer
        guard isLimited, !schema.roles.isEmpty, let account else {
            roles = []
            return
        }
        roles = try view.core.roles(account)
    }

    /// Whether the session may read a record.
    func mayRead(_ record: Record, _ schema: RecordSchema) -> Bool {
        !isLimited || privileges(record.type, record, schema).contains(.read)
    }

    /// Checks that the session may change `current`, or create a record if that is `nil`.
    ///
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
