internal import BullaRecordsWeb

/// One setting: its name, and how it is applied.
package struct Setting: Sendable {
    /// The setting's path in the file, such as `limits.requestBytes`.
    package let path: String
    /// An explanation in one sentence.
    package let help: String
    let take: @Sendable (SettingValue, inout ServiceSettings) throws(SettingsFault) -> Void
    /// Returns, as text, the value that this setting has in a service's settings.
    let shown: @Sendable (ServiceSettings) -> String

    /// The name of the environment variable, such as `BULLA_RECORDS_LIMITS_REQUEST_BYTES`.
    package var variable: String {
        var name = "BULLA_RECORDS_"
        var former: Character = "_"
        for letter in path {
            if letter == "." {
                name.append("_")
            } else {
                if letter.isUppercase, !former.isUppercase { name.append("_") }
                name.append(letter.uppercased())
            }
            former = letter
        }
        return name
    }

    static func text(
        _ path: String, _ place: any WritableKeyPath<ServiceSettings, String> & Sendable,
        _ help: String
    ) -> Setting {
        Setting(path: path, help: help) { value, settings throws(SettingsFault) in
            settings[keyPath: place] = try value.text(path)
        } shown: {
            $0[keyPath: place]
        }
    }

    static func flag(
        _ path: String, _ place: any WritableKeyPath<ServiceSettings, Bool> & Sendable,
        _ help: String
    ) -> Setting {
        Setting(path: path, help: help) { value, settings throws(SettingsFault) in
            settings[keyPath: place] = try value.flag(path)
        } shown: {
            String($0[keyPath: place])
        }
    }

    static func count(
        _ path: String, _ place: any WritableKeyPath<ServiceSettings, Int> & Sendable,
        _ range: ClosedRange<Int>, _ help: String
    ) -> Setting {
        Setting(path: path, help: help) { value, settings throws(SettingsFault) in
            settings[keyPath: place] = try value.count(path, range)
        } shown: {
            String($0[keyPath: place])
        }
    }
}

/// The value of a setting in the file or the environment.
enum SettingValue {
    case text(String)
    case number(Int64)
    case flag(Bool)
    case object(JSONValue)
    /// A value of any other kind; only the name of that kind is kept.
    case other(String)

    func text(_ path: String) throws(SettingsFault) -> String {
        switch self {
        case .text(let text): return text
        case .number: throw SettingsFault("\(path): expected a text, found a number")
        case .flag: throw SettingsFault("\(path): expected a text, found true or false")
        case .object: throw SettingsFault("\(path): expected a text, found an object")
        case .other(let kind): throw SettingsFault("\(path): expected a text, found \(kind)")
        }
    }

    /// The value as true or false, which an environment variable holds as text.
    func flag(_ path: String) throws(SettingsFault) -> Bool {
        let flag: Bool? =
            switch self {
            case .text(let text): Bool(text)
            case .flag(let flag): flag
            case .number, .object, .other: nil
            }
        guard let flag else { throw SettingsFault("\(path): expected true or false") }
        return flag
    }

    /// The value as a number, which an environment variable holds as text.
    func count(_ path: String, _ range: ClosedRange<Int>) throws(SettingsFault) -> Int {
        let number: Int? =
            switch self {
            case .text(let text): Int(text)
            case .number(let number): Int(exactly: number)
            case .flag, .object, .other: nil
            }
        guard let number, range.contains(number) else {
            throw SettingsFault(
                "\(path): expected a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// An error in a service's settings.
package struct SettingsFault: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
