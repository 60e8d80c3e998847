internal import BullaRecordsWeb
internal import Logging

extension ServiceSettings {
    /// Reads settings: an environment variable takes precedence over the file.
    ///
    /// - Parameters:
    ///   - file: a JSON object; unknown members are refused.
    ///   - environment: all variables; those that begin with `BULLA_RECORDS_` are used.
    /// - Throws: ``SettingsFault``, which names the setting but never its value.
    package init(
        file: [UInt8], environment: [String: String]
    ) throws(SettingsFault) {
        self.init()
        let value: JSONValue
        do throws(JSONFault) { value = try JSONText.read(file) } catch {
            throw SettingsFault("the settings file is not JSON: \(error)")
        }
        guard value.kind == .object else {
            throw SettingsFault("the settings file is not a JSON object")
        }
        let settings = Dictionary(Setting.all.map { ($0.path, $0) }) { first, _ in first }
        try take(value, below: "", settings)
        for setting in Setting.all {
            guard let text = environment[setting.variable] else { continue }
            try setting.take(.text(text), &self)
        }
        try check()
    }

    private mutating func take(
        _ object: JSONValue, below path: String, _ settings: [String: Setting]
    ) throws(SettingsFault) {
        for (key, value) in object.members {
            let path = path + (key.string ?? "")
            if value.kind == .object, settings.keys.contains(where: { $0.hasPrefix(path + ".") }) {
                try take(value, below: path + ".", settings)
            } else if let setting = settings[path] {
                try setting.take(SettingValue(value), &self)
            } else {
                throw SettingsFault("byte \(key.offset): no setting has this name")
            }
        }
    }

    /// Performs the checks that involve several settings.
    private func check() throws(SettingsFault) {
        try checkDatabases()
        for setting in Setting.needed(database.isUsed) where setting.shown(self).isEmpty {
            throw SettingsFault("\(setting.path) is needed: \(setting.help)")
        }
        guard recordsKey.isEmpty || !database.isUsed else {
            throw SettingsFault("keys.records: not expected if a database keeps the records")
        }
        guard ServiceAddress(publicURL) != nil else {
            throw SettingsFault("publicURL: expected an address that begins with https")
        }
        guard certificateFile.isEmpty == privateKeyFile.isEmpty else {
            throw SettingsFault("tls: a certificate and its private key go together")
        }
        guard Logger.Level(rawValue: logLevel) != nil else {
            let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsFault("log.level: expected one of \(known)")
        }
        guard !certificateFile.isEmpty || Self.isLoopback(host) else {
            throw SettingsFault(
                "listen.host: without a certificate, expected 127.0.0.1, ::1 or localhost")
        }
        guard recordsKey != accountsKey else {
            throw SettingsFault(
                "keys: expected different keys for records and accounts")
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["127.0.0.1", "::1", "localhost"].contains(host)
    }
}

extension SettingValue {
    init(_ value: JSONValue) {
        if let text = value.string {
            self = .text(text)
        } else if let number = value.int64 {
            self = .number(number)
        } else if let flag = value.bool {
            self = .flag(flag)
        } else if value.kind == .object {
            self = .object(value)
        } else {
            self = .other(value.kind.name)
        }
    }
}
