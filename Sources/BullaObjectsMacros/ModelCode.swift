#if Objects
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The code that `@Model` generates.
///
/// Code that names types is in the struct itself, because only there can it see types declared next
/// to the struct. Code that reads and writes the properties is in an extension: an initializer in
/// the struct itself would suppress the memberwise one that the compiler makes.
struct ModelCode: StructCode {
    /// An index, given by the ordinals of its properties among the model's visible properties.
    struct Index {
        let ordinals: [Int]
        let isUnique: Bool
    }

    private let type: TypeCode
    private let formerName: ExprSyntax?
    private let indexes: [Index]

    init(_ declaration: StructDeclSyntax, _ reader: StructReader, _ declared: [Index]) {
        type = TypeCode(declaration, reader)
        formerName = Marks(declaration.attributes).argument(of: "Renamed")
        let single = reader.visible.enumerated().flatMap { ordinal, property in
            (property.marks.has("Indexed") ? [Index(ordinals: [ordinal], isUnique: false)] : [])
                + (property.marks.has("Unique") ? [Index(ordinals: [ordinal], isUnique: true)] : [])
        }
        indexes = single + declared
    }

    var members: [DeclSyntax] { type.columns + [name, definition, key] }

    func `extension`(of name: String) throws -> ExtensionDeclSyntax {
        try type.extension(
            of: name, type.vault == nil ? "BullaObjects.Model" : "BullaObjects.SealedModel")
    }

    private var keys: [(offset: Int, element: PropertyDeclaration)] {
        type.properties.enumerated().filter { $0.element.marks.has("Key") }
    }

    private var name: DeclSyntax {
        DeclSyntax(stringLiteral: type.member("static let modelName = \"\(type.storedName)\""))
    }

    private var definition: DeclSyntax {
        let former = formerName.map { "formerName: \($0.trimmedDescription),\n    " } ?? ""
        let indexes = indexes.map { index in
            let ordinals = index.ordinals.map(String.init).joined(separator: ", ")
            return "BullaObjects.IndexDefinition(\(ordinals), isUnique: \(index.isUnique))"
        }
        let ordinals = keys.map { "\($0.offset)" }.joined(separator: ", ")
        return """
            \(raw: type.member("static let modelDefinition = BullaObjects.ModelDefinition("))
                modelName,
                \(raw: former)properties: [
                    \(raw: type.definitions)
                ],
                \(raw: type.sealedDefinitions)key: [\(raw: ordinals)],
                indexes: [\(raw: indexes.joined(separator: ", "))])
            """
    }

    private var key: DeclSyntax {
        let types = keys.map(\.element.type).joined(separator: ", ")
        let values = keys.map { "self.\($0.element.name)" }.joined(separator: ", ")
        return """
            \(raw: type.member("var modelKey: BullaObjects.ModelKey<\(types)> {"))
                BullaObjects.ModelKey(\(raw: values))
            }
            """
    }
}

/// The code that `@Embedded` generates.
struct EmbeddedCode: StructCode {
    private let type: TypeCode

    init(_ declaration: StructDeclSyntax, _ reader: StructReader) {
        type = TypeCode(declaration, reader)
    }

    var members: [DeclSyntax] {
        let name = type.member("static let embeddedName = \"\(type.storedName)\"")
        let definition: DeclSyntax = """
            \(raw: type.member("static let embeddedDefinition = BullaObjects.EmbeddedDefinition("))
                embeddedName,
                properties: [
                    \(raw: type.definitions)
                ])
            """
        return type.columns + [DeclSyntax(stringLiteral: name), definition]
    }

    func `extension`(of name: String) throws -> ExtensionDeclSyntax {
        try type.extension(of: name, "BullaObjects.Embedded")
    }
}
#endif
