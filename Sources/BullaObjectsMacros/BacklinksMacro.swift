#if Objects
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// A property declared with `@Backlinks`.
struct BacklinksDeclaration {
    let name: String
    /// The model that has the link.
    let source: String
    let property: String
}

/// The text of a key path: `\Employee.company`, or `\.company`.
struct KeyPathText {
    let root: String?
    let property: String

    /// - Returns: `nil` if it is not a key path, or has more than one component.
    init?(_ expression: ExprSyntax?) {
        guard let path = expression?.as(KeyPathExprSyntax.self), path.components.count == 1,
            case .property(let component) = path.components.first?.component
        else { return nil }
        root = path.root?.trimmedDescription
        property = component.declName.baseName.text.filter { $0 != "`" }
    }

    init?(argument attribute: AttributeSyntax) {
        guard case .argumentList(let list) = attribute.arguments else { return nil }
        self.init(list.first?.expression)
    }
}

/// Writes the getter that finds the objects that link to an object.
enum BacklinksMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let path = KeyPathText(argument: node), path.root != nil else { return [] }
        return ["get { BullaObjects.Backlinks(to: self, by: \\.\(raw: path.property)) }"]
    }
}
#endif
