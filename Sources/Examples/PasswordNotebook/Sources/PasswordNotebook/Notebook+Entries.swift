public import Bulla

/// What stands in a notebook.
extension Notebook {
    /// All entries, sorted by name.
    ///
    /// One that is damaged says so, and the others are there; while the notebook is locked, each
    /// says that.
    public func entries() throws -> [Entry] {
        try store.read { snapshot in
            var entries: [Entry] = []
            try logins.forEach(in: snapshot) { sealed in
                entries.append(
                    Entry(
                        name: String(decoding: sealed.key, as: UTF8.self),
                        login: Result { () throws(BullaError) in try sealed.open() }))
            }
            return entries
        }
    }

    /// The login of a name; `nil` where there is none.
    ///
    /// - Throws: `vaultLocked`; `sealDamaged`.
    public func login(_ name: String) throws -> Login? {
        try store.read { try logins.fetch(name, in: $0)?.open() }
    }

    /// The passwords that a login has had, today's first; each opens, or does not, on its own.
    public func passwords(of name: String) throws -> [Result<Password, BullaError>] {
        let versions = try store.read { try passwords.versions(ofKey: name, in: $0) }
        return versions.map { version in
            Result { () throws(BullaError) in
                let (text, date) = try version.open()
                return Password(text: text, date: date)
            }
        }
    }

    /// Writes a login, and today's password where there is another one: both or neither.
    ///
    /// - Parameter date: the time since 1970-01-01 UTC.
    public func save(
        _ login: Login, named name: String, password: String? = nil, date: Duration
    ) throws {
        try store.write { change in
            try logins.save(login, forKey: name, in: &change)
            guard let password else { return }
            let today = try passwords.versions(ofKey: name, in: change).first
            guard (try? today?.open().part) != password else { return }
            try passwords.append(password, forKey: name, date: date, in: &change)
        }
    }

    /// Forgets a login and its passwords; `false` where there is none.
    public func delete(_ name: String) throws -> Bool {
        try store.write { change in
            try passwords.delete(name, in: &change)
            return try logins.delete(name, in: &change)
        }
    }
}
