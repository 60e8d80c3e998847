#if Objects
internal import SwiftSyntax

/// A stored property of a model or an embedded type, as it is declared.
struct PropertyDeclaration {
    /// The name as written, with backticks if it needs them.
    let name: String
    let type: String
    let value: ExprSyntax?
    let marks: Marks
    let node: VariableDeclSyntax

    /// The name by which a store knows the property.
    var storedName: String { name.filter { $0 != "`" } }

    var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }
    var isDictionary: Bool { type.hasPrefix("[") && type.contains(":") }
    var isMany: Bool { type.hasPrefix("[") || type.hasPrefix("Set<") }

    /// Whether it holds a `Link<...>`, and not another type whose name ends in `Link`.
    var isLink: Bool {
        var rest = type[...]
        while let range = rest.firstRange(of: "Link<") {
            let before = rest[..<range.lowerBound].last
            if before.map({ !$0.isLetter && !$0.isNumber && $0 != "_" }) ?? true { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }

    /// The type that is sealed, if any: the text between the brackets of `Sealed<...>`.
    var sealedType: String? {
        for start in ["Sealed<", "BullaObjects.Sealed<"] where type.hasPrefix(start) {
            guard type.hasSuffix(">") else { continue }
            return String(type.dropFirst(start.count).dropLast())
        }
        return nil
    }

    var isCoded: Bool { marks.has("Coded") }

    /// The type that is stored: the property's type, or that type wrapped in `Coded`.
    var storedType: String {
        guard isCoded else { return type }
        return type.hasSuffix("?")
            ? "BullaObjects.Coded<\(type.dropLast())>?" : "BullaObjects.Coded<\(type)>"
    }

    /// The code that turns a value of the property into the value that is stored.
    ///
    /// - Parameter value: code for the value of the property.
    func stored(_ value: String) -> String {
        guard isCoded else { return value }
        return type.hasSuffix("?")
            ? "\(value).map { BullaObjects.Coded($0) }" : "BullaObjects.Coded(\(value))"
    }

    /// The access level; `nil` for a property that only the struct can access.
    var access: AccessLevel? {
        let words = node.modifiers.filter { $0.detail == nil }.map(\.name.text)
        if words.contains("private") { return nil }
        return AccessLevel.named.first { words.contains($0.word) }?.level ?? .internal
    }
}

/// The access level of a declaration.
enum AccessLevel: Int, Comparable {
    case `fileprivate`, `internal`, package, `public`

    static let named: [(word: String, level: AccessLevel)] = [
        ("fileprivate", .fileprivate), ("private", .fileprivate), ("package", .package),
        ("public", .public),
    ]

    static func < (one: AccessLevel, other: AccessLevel) -> Bool { one.rawValue < other.rawValue }

    /// The level as written before a declaration, with a space after it.
    var text: String {
        switch self {
        case .fileprivate: "fileprivate "
        case .internal: ""
        case .package: "package "
        case .public: "public "
        }
    }
}

/// The macros attached to a declaration.
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

    /// The attached macros that mark stored properties.
    var own: [(name: String, attribute: AttributeSyntax)] {
        Self.names.compactMap { name in attribute(name).map { (name, $0) } }
    }

    /// The first argument of an attribute.
    func argument(of name: String) -> ExprSyntax? {
        guard case .argumentList(let list) = attribute(name)?.arguments else { return nil }
        return list.first?.expression
    }

    /// An attribute's argument with this label.
    func argument(_ label: String, of name: String) -> ExprSyntax? {
        guard case .argumentList(let list) = attribute(name)?.arguments else { return nil }
        return list.first { $0.label?.text == label }?.expression
    }
}
#endif
