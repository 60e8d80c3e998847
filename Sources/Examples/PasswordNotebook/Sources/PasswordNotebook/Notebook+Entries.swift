public import Bulla

/// The contents of a notebook.
extension Notebook {
    /// All entries, sorted by name.
    ///
    /// A damaged entry has an error in place of its login; the others stay readable. While the
    /// notebook is locked, every entry has an error.
    public func entries() throws -> [Entry] {
        try store.read { snapshot in
            var entries: [Entry] = []
            try logins.forEach(in: snapshot) { sealed in
                entries.append(
                    Entry(
                        name: String(decoding: sealed.key, as: UTF8.self),
                        login: Result { () throws(BullaError) in try sealed.open() }))
                return .next
            }
            return entries
        }
    }

    /// The login with a name; `nil` if there is none.
    ///
    /// - Throws: `vaultLocked` while the notebook is locked; `sealDamaged` for a damaged login.
    public func login(_ name: String) throws -> Login? {
        try store.read { try logins.fetch(name, in: $0)?.open() }
    }

    /// The passwords of a login, the current one first; a damaged password does not affect the
    /// others.
    public func passwords(of name: String) throws -> [Result<Password, BullaError>] {
        let versions = try store.read { try passwords.versions(ofKey: name, in: $0) }
        return versions.map { version in
            Result { () throws(BullaError) in
                let (text, date) = try version.open()
                return Password(text: text, date: date)
            }
        }
    }

    /// Saves a login and, if `password` is given and differs from the current one, that password
    /// too, in one transaction.
    ///
    /// - Parameter date: the current time, counted from 1970-01-01 UTC.
    public func save(
        _ login: Login, named name: String, password: String? = nil, date: Duration
    ) throws {
        try store.write { change in
            try logins.save(login, forKey: name, in: &change)
            guard let password else { return }
            let today = try passwords.versions(ofKey: name, in: change).first
            guard (try? today?.open().part) != password else { return }
            try passwords.append(password, forKey: name, timeSince1970: date, in: &change)
        }
    }

    /// Deletes a login and its passwords; returns `false` if there is none.
    public func delete(_ name: String) throws -> Bool {
        try store.write { change in
            try passwords.delete(name, in: &change)
            return try logins.delete(name, in: &change)
        }
    }
}
