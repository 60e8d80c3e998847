#if Objects
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// Turns a struct into a model.
enum ModelMacro: StructMacro {
    static let name = "Model"

    static func code(
        _ declaration: StructDeclSyntax, _ reader: inout StructReader
    ) -> any StructCode {
        let indexes = reader.readIndexes()
        reader.checkKeys(declaration)
        return ModelCode(declaration, reader, indexes)
    }
}

/// Turns a struct into a type that is stored inside objects.
enum EmbeddedMacro: StructMacro {
    static let name = "Embedded"

    static func code(
        _ declaration: StructDeclSyntax, _ reader: inout StructReader
    ) -> any StructCode {
        reader.checkEmbedded()
        return EmbeddedCode(declaration, reader)
    }
}

/// The code generated for a struct: members, and an extension.
protocol StructCode {
    var members: [DeclSyntax] { get }

    func `extension`(of name: String) throws -> ExtensionDeclSyntax
}

/// A macro that turns a struct into a type whose values can be stored.
protocol StructMacro: MemberMacro, ExtensionMacro {
    /// The macro's name, without the `@`.
    static var name: String { get }

    /// Reads and checks what only this macro needs, after `reader` has read the members.
    ///
    /// - Returns: the code to generate.
    static func code(
        _ declaration: StructDeclSyntax, _ reader: inout StructReader
    ) -> any StructCode
}

extension StructMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        code(declaration, node, in: context, isTold: true)?.members ?? []
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let code = code(declaration, node, in: context, isTold: false)
        return try code.map { [try $0.extension(of: type.trimmedDescription)] } ?? []
    }

    /// - Parameter isTold: whether to report errors; only one of the macro's two roles does.
    /// - Returns: `nil` if there are errors.
    private static func code(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax,
        in context: some MacroExpansionContext, isTold: Bool
    ) -> (any StructCode)? {
        guard let declaration = declaration.as(StructDeclSyntax.self) else {
            let misuse = Misuse(node, "struct", "'@\(name)' can be attached only to a struct")
            if isTold { context.diagnose(misuse.diagnostic) }
            return nil
        }
        var reader = StructReader(declaration, macro: name, in: context)
        let code = code(declaration, &reader)
        if isTold { for misuse in reader.misuses { context.diagnose(misuse.diagnostic) } }
        return reader.misuses.isEmpty ? code : nil
    }
}
#endif
