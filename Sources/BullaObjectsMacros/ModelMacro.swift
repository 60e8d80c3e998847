#if Objects
package import SwiftSyntax
package import SwiftSyntaxMacros

/// Makes a struct a model.
package enum ModelMacro {
    /// - Parameter isTold: whether it is told what is wrong, which one of the two roles does.
    /// - Returns: `nil` where the declaration can be no model.
    fileprivate static func code(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax,
        in context: some MacroExpansionContext, isTold: Bool
    ) -> ModelCode? {
        guard
            let declaration = StructReader.structure(
                declaration, node, "Model", in: context, isTold: isTold)
        else { return nil }
        var reader = StructReader(declaration, macro: "Model", in: context)
        let indexes = reader.readIndexes()
        reader.checkKeys(declaration)
        guard reader.isSound(in: context, isTold: isTold) else { return nil }
        return ModelCode(declaration, reader, indexes)
    }
}

extension ModelMacro: MemberMacro {
    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        code(declaration, node, in: context, isTold: true)?.members ?? []
    }
}

extension ModelMacro: ExtensionMacro {
    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let code = code(declaration, node, in: context, isTold: false)
        return try code.map { [try $0.extension(of: type.trimmedDescription)] } ?? []
    }
}

/// Makes a struct one that is stored inside of objects.
package enum EmbeddedMacro {
    fileprivate static func code(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax,
        in context: some MacroExpansionContext, isTold: Bool
    ) -> EmbeddedCode? {
        guard
            let declaration = StructReader.structure(
                declaration, node, "Embedded", in: context, isTold: isTold)
        else { return nil }
        var reader = StructReader(declaration, macro: "Embedded", in: context)
        reader.checkEmbedded()
        guard reader.isSound(in: context, isTold: isTold) else { return nil }
        return EmbeddedCode(declaration, reader)
    }
}

extension EmbeddedMacro: MemberMacro {
    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        code(declaration, node, in: context, isTold: true)?.members ?? []
    }
}

extension EmbeddedMacro: ExtensionMacro {
    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let code = code(declaration, node, in: context, isTold: false)
        return try code.map { [try $0.extension(of: type.trimmedDescription)] } ?? []
    }
}
#endif
