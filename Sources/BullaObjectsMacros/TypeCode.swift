#if Objects
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// What the macros write for a model and for an embedded type alike.
///
/// It is no more than a person could write. All of it is `nonisolated`, so that it does not change
/// where a module's code is on the main actor by default; and names that a struct may use for
/// itself stand behind `self` or the module.
struct TypeCode {
    let name: String
    private let level: AccessLevel
    /// Those that are not sealed together.
    let properties: [PropertyDeclaration]
    private let sealed: [PropertyDeclaration]
    /// The vault that a model is sealed in, as it is written.
    let vault: ExprSyntax?
    let backlinks: [BacklinksDeclaration]

    init(_ declaration: StructDeclSyntax, _ reader: StructReader) {
        name = declaration.name.text
        let words = declaration.modifiers.map(\.name.text)
        // What is private to a file's scope is seen by an extension only as private to the file.
        level = AccessLevel.named.first { words.contains($0.word) }?.level ?? .internal
        (properties, sealed, vault) = (reader.visible, reader.sealed, reader.vault)
        backlinks = reader.backlinks
    }

    /// What a store knows the type by.
    var storedName: String { name.filter { $0 != "`" } }

    private var access: String { level.text }

    /// The columns' type, and the one value of it: no column is seen farther than its property, and
    /// what the struct alone sees has none.
    var columns: [DeclSyntax] {
        var lines = properties.enumerated().compactMap { ordinal, property in
            let type = property.sealedType.map { "SealedColumn<\(name), \($0)>" }
            return column(
                of: property, type ?? "Column<\(name), \(property.storedType)>", "\(ordinal)")
        }
        // What is sealed together is not named by conditions, nor by anything else.
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
            "try draft.write(\(property.stored("self.\(property.name)")), \(ordinal))"
        }
        lines += sealed.enumerated().map { ordinal, property in
            "try draft.writeSealed(\(property.stored("self.\(property.name)")), \(ordinal))"
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

    /// What a sealed model is declared with besides.
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
    /// - Parameter verb: what reads it.
    fileprivate func reading(_ verb: String, _ ordinal: Int) -> String {
        guard isCoded else { return "self.\(name) = try stored.\(verb)(\(ordinal))" }
        // No extension of a nested type finds the types beside it, so none is named.
        let mark = type.hasSuffix("?") ? "?" : ""
        return "self.\(name) = try (stored.\(verb)(\(ordinal)) as BullaObjects.Coded\(mark))"
            + "\(mark).value"
    }

    /// - Parameter vault: of the model.
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
            // A literal of nil has no type by itself.
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

    /// `Int?.self` is read as it is meant, and so is `[Int].self`.
    private var metatype: String { storedType.contains(" ") ? "(\(storedType))" : storedType }
}
#endif
