#if Objects
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// Marks a property for `@Model` or `@Embedded`, and expands to nothing.
///
/// It adds no code, so the compiler makes memberwise initializers and conformances as usual.
enum MarkMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let outer = context.lexicalContext.first?.as(StructDeclSyntax.self)
        let marks = outer.map { Marks($0.attributes) }
        // `@Renamed` can also be attached to a model.
        if let type = declaration.as(StructDeclSyntax.self) {
            guard !Marks(type.attributes).has("Model") else { return [] }
            context.diagnose(
                Misuse(node, "outside", "only a model or a property can be renamed").diagnostic)
            return []
        }
        guard marks?.has("Model") != true, marks?.has("Embedded") != true else { return [] }
        let name = node.attributeName.trimmedDescription
        context.diagnose(
            Misuse(
                node, "outside",
                "'@\(name)' has a meaning only in a struct that is an '@Model' or '@Embedded'"
            ).diagnostic)
        return []
    }
}

/// Declares an index for `@Model`, and expands to nothing.
enum IndexMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
#endif
