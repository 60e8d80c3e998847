#if Objects
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The code that the macros generate for both models and embedded types.
///
/// You could write all of it by hand. Everything is `nonisolated`, so that it also works in a
/// module whose code is on the main actor by default. The code uses some names that the struct
/// might also declare; it qualifies these with `self` or the module.
struct TypeCode {
    let name: String
    private let level: AccessLevel
    /// The properties that are stored one by one: all of them, unless the model is sealed.
    let properties: [PropertyDeclaration]
    /// The properties that a sealed model seals together, in one blob.
    private let sealed: [PropertyDeclaration]
    /// The expression for the vault that seals the whole model; nil for other models.
    let vault: ExprSyntax?
    let backlinks: [BacklinksDeclaration]

    init(_ declaration: StructDeclSyntax, _ reader: StructReader) {
        name = declaration.name.text
        let words = declaration.modifiers.map(\.name.text)
        // A `private` struct at file scope is visible in the whole file. So the code made for the
        // struct is `fileprivate`, even in an extension.
        level = AccessLevel.named.first { words.contains($0.word) }?.level ?? .internal
        (properties, sealed, vault) = (reader.visible, reader.sealed, reader.vault)
        backlinks = reader.backlinks
    }

    /// The name by which a store knows the type.
    var storedName: String { name.filter { $0 != "`" } }

    private var access: String { level.text }

    /// The struct that has the columns, and a static property that holds its only instance.
    ///
    /// A column is no more visible than its property. A property that only the struct can access
    /// has no column.
    var columns: [DeclSyntax] {
        var lines = properties.enumerated().compactMap { ordinal, property in
            let type = property.sealedType.map { "SealedColumn<\(name), \($0)>" }
            return column(
                of: property, type ?? "Column<\(name), \(property.storedType)>", "\(ordinal)")
        }
        // Of the properties that are sealed together, only those whose type is `Sealed<...>` have
        // columns.
        lines += sealed.enumerated().compactMap { ordinal, property in
            property.sealedType.flatMap {
                column(of: property, "SealedColumn<\(name), \($0)>", "sealed: \(ordinal)")
            }
        }
        lines += backlinks.map { links in
            "\(access)let \(links.name) = "
                + "BullaObjects.BacklinksColumn<\(name), \(links.source)>(\"\(links.property)\")"
        }
        let type: DeclSyntax = """
            nonisolated \(raw: access)struct Columns: Sendable {
                \(raw: lines.joined(separator: "\n    "))
                \(raw: access)init() {}
            }
            """
        return [type, DeclSyntax(stringLiteral: member("static let columns = Columns()"))]
    }

    private func column(
        of property: PropertyDeclaration, _ type: String, _ argument: String
    ) -> String? {
        property.access.map { access in
            "\(min(access, level).text)let \(property.name) = BullaObjects.\(type)(\(argument))"
        }
    }

    func `extension`(of name: String, _ conformance: String) throws -> ExtensionDeclSyntax {
        try ExtensionDeclSyntax(
            """
            extension \(raw: name): nonisolated \(raw: conformance) {
                \(raw: reading)
                \(raw: writing)
            }
            """)
    }

    private var reading: String {
        var lines = properties.enumerated().map { ordinal, property in
            property.reading("read", ordinal)
        }
        lines += sealed.enumerated().map { ordinal, property in
            property.reading("readSealed", ordinal)
        }
        return """
            nonisolated \(access)init(
                from stored: borrowing BullaObjects.StoredObject
            ) throws(BullaObjects.ObjectError) {
                \(lines.joined(separator: "\n    "))
            }
            """
    }

    private var writing: String {
        var lines = properties.enumerated().map { ordinal, property in
            "try draft.write(\(property.stored("self.\(property.name)")), at: \(ordinal))"
        }
        lines += sealed.enumerated().map { ordinal, property in
            "try draft.writeSealed(\(property.stored("self.\(property.name)")), at: \(ordinal))"
        }
        return """
            nonisolated \(access)func write(
                to draft: inout BullaObjects.ObjectDraft
            ) throws(BullaObjects.ObjectError) {
                \(lines.joined(separator: "\n    "))
            }
            """
    }

    var definitions: String { text(of: properties) }

    /// The additional arguments in the definition of a sealed model.
    var sealedDefinitions: String {
        guard let vault else { return "" }
        return "sealed: [\(text(of: sealed))], in: \(vault.trimmedDescription), "
    }

    private func text(of properties: [PropertyDeclaration]) -> String {
        properties.map { $0.definition(in: vault) }.joined(separator: ",\n        ")
    }

    func member(_ text: String) -> String { "nonisolated \(access)\(text)" }
}

extension PropertyDeclaration {
    /// - Parameter verb: the name of the method that reads the property.
    fileprivate func reading(_ verb: String, _ ordinal: Int) -> String {
        guard isCoded else { return "self.\(name) = try stored.\(verb)(at: \(ordinal))" }
        // An extension of a nested type cannot find types declared next to the nested type, so this
        // code does not name the property's type.
        let mark = type.hasSuffix("?") ? "?" : ""
        return "self.\(name) = try (stored.\(verb)(at: \(ordinal)) as BullaObjects.Coded\(mark))"
            + "\(mark).value"
    }

    /// - Parameter vault: the model's vault.
    fileprivate func definition(in vault: ExprSyntax?) -> String {
        var arguments = ["\"\(storedName)\""]
        if sealedType != nil {
            let own = marks.argument("in", of: "Sealed") ?? vault
            arguments.append("\(metatype).self")
            arguments.append("sealedIn: \(own?.trimmedDescription ?? "\"\"")")
            if let history = marks.argument("history", of: "Sealed") {
                arguments.append("history: \(history.trimmedDescription)")
            }
        } else if let value {
            // The literal `nil` has no type of its own, so the code states the type.
            let initial = isCoded ? stored("(\(value.trimmedDescription) as \(type))") : nil
            arguments.append(
                "initial: { () -> \(storedType) in \(initial ?? value.trimmedDescription) }")
        } else {
            arguments.append("\(metatype).self")
        }
        if let former = marks.argument(of: "Renamed") {
            arguments.append("formerName: \(former.trimmedDescription)")
        }
        if let rule = marks.argument(of: "OnDelete") {
            arguments.append("deleteRule: \(rule.trimmedDescription)")
        }
        return "BullaObjects.PropertyDefinition(\(arguments.joined(separator: ", ")))"
    }

    /// The type before `.self`, which needs parentheses only if it contains a space.
    private var metatype: String { storedType.contains(" ") ? "(\(storedType))" : storedType }
}
#endif
