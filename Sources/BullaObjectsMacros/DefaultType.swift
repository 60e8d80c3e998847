#if Objects
internal import SwiftSyntax

extension ExprSyntax {
    /// The type of a property that is declared with this value and without a type; nil if it is
    /// unclear.
    var shownType: String? {
        switch kind {
        case .integerLiteralExpr: return "Int"
        case .floatLiteralExpr: return "Double"
        case .booleanLiteralExpr: return "Bool"
        case .stringLiteralExpr: return "String"
        case .prefixOperatorExpr: return self.as(PrefixOperatorExprSyntax.self)?.signedType
        case .arrayExpr: return self.as(ArrayExprSyntax.self)?.listType
        case .functionCallExpr:
            return self.as(FunctionCallExprSyntax.self)?.calledExpression.typeName
        case .memberAccessExpr:
            // Accepts `Badge.plain`, but neither `.plain` nor `Date.now.description`.
            guard let base = self.as(MemberAccessExprSyntax.self)?.base, base.isTypeName else {
                return nil
            }
            return base.typeName
        default: return nil
        }
    }

    /// Whether the expression is only the name of a type: `Badge`, `Firm.Badge`.
    fileprivate var isTypeName: Bool {
        if let member = self.as(MemberAccessExprSyntax.self) {
            let isUpper = member.declName.baseName.text.first?.isUppercase == true
            return isUpper && member.base?.isTypeName == true
        }
        return self.as(DeclReferenceExprSyntax.self)?.baseName.text.first?.isUppercase == true
    }

    /// The type that an expression names: `UUID` in `UUID()`, `[Int]` in `[Int]()`, `Date` in
    /// `Date.distantPast`.
    fileprivate var typeName: String? {
        if let reference = self.as(DeclReferenceExprSyntax.self) {
            let name = reference.baseName.text
            // These names do not show the types of the elements.
            guard !["Array", "Set", "Dictionary", "Optional"].contains(name) else { return nil }
            return name.first?.isUppercase == true ? name : nil
        }
        if let member = self.as(MemberAccessExprSyntax.self), let base = member.base {
            guard let outer = base.typeName else { return nil }
            let name = member.declName.baseName.text
            // Assumes that a static member is a value of the type that declares it.
            return name.first?.isUppercase == true ? "\(outer).\(name)" : outer
        }
        if let array = self.as(ArrayExprSyntax.self), array.elements.count == 1,
            let element = array.elements.first?.expression.typeName
        {
            return "[\(element)]"
        }
        if let generic = self.as(GenericSpecializationExprSyntax.self),
            generic.expression.typeName != nil
        {
            return generic.trimmedDescription
        }
        return nil
    }
}

extension PrefixOperatorExprSyntax {
    fileprivate var signedType: String? {
        guard self.operator.text == "-", let type = expression.shownType,
            ["Int", "Double"].contains(type)
        else { return nil }
        return type
    }
}

extension ArrayExprSyntax {
    fileprivate var listType: String? {
        let types = Set(elements.map(\.expression.shownType))
        guard types.count == 1, let type = types.first ?? nil else { return nil }
        return "[\(type)]"
    }
}
#endif
