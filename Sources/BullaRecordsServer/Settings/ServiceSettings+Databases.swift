internal import BullaRecordsWeb

/// The databases of the records, if there are any.
extension ServiceSettings {
    /// Reads the setting `databases`, an object: each key is the name of a further database, and
    /// each value is an object with that database's settings.
    mutating func takeDatabases(_ value: SettingValue) throws(SettingsFault) {
        databases = [:]
        for (key, value) in try value.databases().members {
            guard let name = key.string, Self.isDatabaseName(name) else {
                throw SettingsFault(
                    "databases: byte \(key.offset): a name has 1 to 64 letters, digits or hyphens, "
                        + "and is not main")
            }
            let path = "databases.\(name)"
            guard value.kind == .object else {
                throw SettingsFault("\(path): expected an object, found \(value.kind.name)")
            }
            databases[name] = DatabaseSettings()
            let settings = Setting.database(name, at: path)
            for (key, value) in value.members {
                let member = "\(path).\(key.string ?? "")"
                guard let setting = settings.first(where: { $0.path == member }) else {
                    throw SettingsFault(
                        "\(path): byte \(key.offset): no setting has this name")
                }
                try setting.take(SettingValue(value), &self)
            }
        }
    }

    private static func isDatabaseName(_ name: String) -> Bool {
        let isMade = name.utf8.allSatisfy { byte in
            let letter = Character(UnicodeScalar(byte))
            return byte < 128 && (letter.isLetter || letter.isNumber || letter == "-")
        }
        return isMade && 1...64 ~= name.utf8.count && name != mainDatabase
    }

    /// Checks that each database has all necessary settings, and that no database occurs twice.
    func checkDatabases() throws(SettingsFault) {
        try database.check("database")
        var known: [[String]: String] = [:]
        if database.isUsed { known[database.place] = "database" }
        for (name, database) in databases.sorted(by: { $0.key < $1.key }) {
            let path = "databases.\(name)"
            guard database.isUsed else {
                throw SettingsFault("\(path): a host, a name and a user are needed")
            }
            try database.check(path)
            if let other = known.updateValue(path, forKey: database.place) {
                throw SettingsFault("\(path): the same database as \(other)")
            }
        }
        guard newAccounts == Self.mainDatabase || databases[newAccounts] != nil else {
            throw SettingsFault("placement.newAccounts: expected main or a name in databases")
        }
    }
}

extension SettingValue {
    /// The object with further databases; an environment variable holds it as a text in JSON.
    fileprivate func databases() throws(SettingsFault) -> JSONValue {
        switch self {
        case .object(let object): return object
        case .text(let text):
            guard let value = try? JSONText.read(Array(text.utf8)), value.kind == .object else {
                throw SettingsFault("databases: expected an object as JSON")
            }
            return value
        case .number: throw SettingsFault("databases: expected an object, found a number")
        case .flag: throw SettingsFault("databases: expected an object, found true or false")
        case .other(let kind):
            throw SettingsFault("databases: expected an object, found \(kind)")
        }
    }
}
