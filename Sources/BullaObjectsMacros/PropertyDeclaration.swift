#if Objects
internal import SwiftSyntax

/// A stored property of a model, as it is declared.
struct PropertyDeclaration {
    /// As it is written, with backticks where it needs them.
    let name: String
    let type: String
    let value: ExprSyntax?
    let marks: Marks
    let node: VariableDeclSyntax

    /// What a store knows it by.
    var storedName: String { name.filter { $0 != "`" } }

    var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }
    var isDictionary: Bool { type.hasPrefix("[") && type.contains(":") }
    var isMany: Bool { type.hasPrefix("[") || type.hasPrefix("Set<") }

    /// Whether it holds `Link<...>`; a name that only ends so is another type.
    var isLink: Bool {
        var rest = type[...]
        while let range = rest.firstRange(of: "Link<") {
            let before = rest[..<range.lowerBound].last
            if before.map({ !$0.isLetter && !$0.isNumber && $0 != "_" }) ?? true { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }

    /// What is sealed by itself, where it is: the text between the brackets of `Sealed<...>`.
    var sealedType: String? {
        for start in ["Sealed<", "BullaObjects.Sealed<"] where type.hasPrefix(start) {
            guard type.hasSuffix(">") else { continue }
            return String(type.dropFirst(start.count).dropLast())
        }
        return nil
    }

    var isCoded: Bool { marks.has("Coded") }

    /// The type that is stored: that of the property, or the JSON of it.
    var storedType: String {
        guard isCoded else { return type }
        return type.hasSuffix("?")
            ? "BullaObjects.Coded<\(type.dropLast())>?" : "BullaObjects.Coded<\(type)>"
    }

    /// What is stored for a value of the property.
    func stored(_ value: String) -> String {
        guard isCoded else { return value }
        return type.hasSuffix("?")
            ? "\(value).map { BullaObjects.Coded($0) }" : "BullaObjects.Coded(\(value))"
    }

    /// How far it is seen; `nil` for what only the struct sees.
    var access: AccessLevel? {
        let words = node.modifiers.filter { $0.detail == nil }.map(\.name.text)
        if words.contains("private") { return nil }
        return AccessLevel.named.first { words.contains($0.word) }?.level ?? .internal
    }
}

/// How far a declaration is seen.
enum AccessLevel: Int, Comparable {
    case `fileprivate`, `internal`, package, `public`

    static let named: [(word: String, level: AccessLevel)] = [
        ("fileprivate", .fileprivate), ("private", .fileprivate), ("package", .package),
        ("public", .public),
    ]

    static func < (one: AccessLevel, other: AccessLevel) -> Bool { one.rawValue < other.rawValue }

    /// As it is written before a declaration, with a space behind it.
    var text: String {
        switch self {
        case .fileprivate: "fileprivate "
        case .internal: ""
        case .package: "package "
        case .public: "public "
        }
    }
}

/// The macros that are attached to a declaration.
struct Marks {
    private let attributes: [AttributeSyntax]

    init(_ list: AttributeListSyntax) {
        attributes = list.compactMap { element in
            if case .attribute(let attribute) = element { attribute } else { nil }
        }
    }

    static let names = [
        "Key", "Indexed", "Unique", "Renamed", "OnDelete", "Transient", "Sealed", "Clear",
        "Coded",
    ]

    func attribute(_ name: String) -> AttributeSyntax? {
        attributes.first { attribute in
            let text = attribute.attributeName.trimmedDescription
            return text == name || text == "BullaObjects.\(name)"
        }
    }

    func has(_ name: String) -> Bool { attribute(name) != nil }

    /// Those that ask something of a stored property.
    var own: [(name: String, attribute: AttributeSyntax)] {
        Self.names.compactMap { name in attribute(name).map { (name, $0) } }
    }

    /// The only argument of an attribute.
    func argument(of name: String) -> ExprSyntax? {
        guard case .argumentList(let list) = attribute(name)?.arguments else { return nil }
        return list.first?.expression
    }

    /// The argument that has a label.
    func argument(_ label: String, of name: String) -> ExprSyntax? {
        guard case .argumentList(let list) = attribute(name)?.arguments else { return nil }
        return list.first { $0.label?.text == label }?.expression
    }
}
#endif
