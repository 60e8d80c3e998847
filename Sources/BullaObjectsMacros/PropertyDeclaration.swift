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
    var isLink: Bool { type.contains("Link<") }
    var isDictionary: Bool { type.hasPrefix("[") && type.contains(":") }
}

/// The macros that are attached to a declaration.
struct Marks {
    private let attributes: [AttributeSyntax]

    init(_ list: AttributeListSyntax) {
        attributes = list.compactMap { element in
            if case .attribute(let attribute) = element { attribute } else { nil }
        }
    }

    static let names = ["Key", "Indexed", "Unique", "Renamed", "OnDelete", "Transient"]

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
}
#endif
