#if Objects
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// A property whose value is what refers to the object.
struct BacklinksDeclaration {
    let name: String
    /// The model that has the link.
    let source: String
    let property: String
}

/// A key path as it is written: `\Employee.company`, or `\.company`.
struct KeyPathText {
    let root: String?
    let property: String

    /// - Returns: `nil` where it is none, or one that leads further.
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

/// Computes what refers to the object.
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
