#if Objects
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// Keys and indexes, which belong to the model as a whole.
extension StructReader {
    mutating func checkKeys(_ declaration: StructDeclSyntax) {
        guard misuses.isEmpty, !properties.contains(where: { $0.marks.has("Key") }) else { return }
        let message = "a model needs a key: mark the property that tells its objects apart '@Key'"
        guard let id = properties.first(where: { $0.name == "id" })?.node else {
            return report(declaration.name, "key", message)
        }
        let key = AttributeListSyntax.Element.attribute(
            AttributeSyntax(
                attributeName: TypeSyntax("Key"), trailingTrivia: .space))
        var marked = id
        marked.leadingTrivia = []
        marked.attributes.insert(key, at: marked.attributes.startIndex)
        marked.leadingTrivia = id.leadingTrivia
        report(
            declaration.name, "key", message,
            .replacing("make 'id' the key", id, with: marked))
    }

    /// The indexes that `#Index` declares.
    mutating func readIndexes() -> [ModelCode.Index] {
        var found: [ModelCode.Index] = []
        for index in indexes {
            var (ordinals, isUnique) = ([Int](), false)
            for argument in index.arguments {
                if argument.label?.text == "isUnique" {
                    isUnique = readFlag(argument.expression)
                } else if let ordinal = ordinal(argument.expression) {
                    ordinals.append(ordinal)
                }
            }
            found.append(ModelCode.Index(ordinals: ordinals, isUnique: isUnique))
        }
        return found
    }

    private mutating func readFlag(_ expression: ExprSyntax) -> Bool {
        let text = expression.trimmedDescription
        if !["true", "false"].contains(text) {
            report(expression, "index", "write the literal 'true' or 'false'")
        }
        return text == "true"
    }

    private mutating func ordinal(_ expression: ExprSyntax) -> Int? {
        guard let path = KeyPathText(expression), path.root == nil || path.root == name else {
            report(expression, "index", "write a property of the model, as in '\\\(name).name'")
            return nil
        }
        guard let ordinal = visible.firstIndex(where: { $0.storedName == path.property }) else {
            let isSealed = sealed.contains { $0.storedName == path.property }
            report(
                expression, "index",
                isSealed
                    ? "'\(path.property)' is sealed, and cannot have an index"
                    : "'\(path.property)' is not a stored property of the model")
            return nil
        }
        if visible[ordinal].isDictionary {
            report(expression, "index", "a dictionary cannot have an index")
        }
        if visible[ordinal].sealedType != nil {
            report(
                expression, "index", "'\(path.property)' is sealed, and cannot have an index")
        }
        return ordinal
    }

    /// Reports the marks, links and indexes that an embedded type cannot have.
    mutating func checkEmbedded() {
        for property in properties {
            for (name, attribute) in property.marks.own
            where ["Key", "Indexed", "Unique", "OnDelete", "Sealed"].contains(name) {
                report(
                    attribute, "embedded",
                    "an embedded value is not an object, so it cannot have '@\(name)'")
            }
            if property.isLink {
                report(
                    property.node, "embedded",
                    "an embedded value cannot have a link: no index would lead to its object")
            }
        }
        for links in indexes {
            report(links, "embedded", "an embedded type cannot have an index")
        }
    }
}
#endif
