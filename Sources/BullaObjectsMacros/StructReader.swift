#if Objects
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Reads the declaration of a struct to which a macro is attached, and finds errors in it.
struct StructReader {
    private(set) var properties: [PropertyDeclaration] = []
    private(set) var backlinks: [BacklinksDeclaration] = []
    private(set) var indexes: [MacroExpansionDeclSyntax] = []
    private(set) var misuses: [Misuse] = []
    /// The macro's name, such as `Model`, for messages.
    private let macro: String
    /// The name of the struct.
    let name: String
    /// The expression for the vault that seals the whole model; nil for other models.
    let vault: ExprSyntax?

    init(_ declaration: StructDeclSyntax, macro: String, in context: some MacroExpansionContext) {
        self.macro = macro
        name = declaration.name.text
        vault = Marks(declaration.attributes).argument("sealedIn", of: "Model")
        if let word = declaration.modifiers.first(where: { $0.name.text == "private" }),
            !context.lexicalContext.isEmpty
        {
            report(
                word, "private",
                "a private type inside another cannot be extended: make it fileprivate",
                .replacing(
                    "make it fileprivate", word,
                    with: word.with(\.name.tokenKind, .keyword(.fileprivate))))
        }
        if let parameters = declaration.genericParameterClause {
            report(parameters, "generic", "'@\(macro)' cannot be attached to a generic struct")
        }
        for member in declaration.memberBlock.members { read(member.decl) }
    }

    private mutating func read(_ member: DeclSyntax) {
        if let variable = member.as(VariableDeclSyntax.self) {
            read(variable)
        } else if let expansion = member.as(MacroExpansionDeclSyntax.self) {
            if expansion.macroName.text == "Index" { indexes.append(expansion) }
        } else if let conditional = member.as(IfConfigDeclSyntax.self) {
            let declares = conditional.clauses.contains { clause in
                guard case .decls(let members) = clause.elements else { return false }
                return members.contains { $0.decl.isStored }
            }
            guard declares else { return }
            report(
                conditional, "conditional",
                "stored properties and indexes cannot depend on '#if': move them out of it")
        } else if let type = member.asProtocol((any NamedDeclSyntax).self),
            ["Key", "Columns"].contains(type.name.text)
        {
            report(type.name, "name", "'\(type.name.text)' is already a type of the model")
        }
    }

    private mutating func read(_ variable: VariableDeclSyntax) {
        let marks = Marks(variable.attributes)
        let modifiers = variable.modifiers.map(\.name.text)
        if modifiers.contains(where: ["static", "class"].contains) {
            return reportMarks(marks, "a static property")
        }
        if modifiers.contains("lazy") {
            return report(
                variable, "lazy",
                "a lazy property cannot be stored: compute it, or give it a value")
        }
        guard variable.bindings.count == 1, let binding = variable.bindings.first else {
            return report(variable, "several", "declare each property separately")
        }
        if let attribute = marks.attribute("Backlinks") {
            return read(attribute, binding)
        }
        guard !binding.isComputed else { return reportMarks(marks, "a computed property") }
        guard !marks.has("Transient") else { return checkTransient(variable, binding) }
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self) else {
            return report(binding.pattern, "pattern", "give the property one name")
        }
        if variable.bindingSpecifier.text == "let", binding.initializer != nil {
            return reportConstant(variable, name.trimmedDescription)
        }
        guard let type = type(of: binding, name) else { return }
        let property = PropertyDeclaration(
            name: name.trimmedDescription, type: type, value: binding.initializer?.value.trimmed,
            marks: marks, node: variable)
        check(property)
        properties.append(property)
    }

    /// The text of a binding's type; reports an error and returns nil if the type is unclear, or
    /// cannot be stored.
    private mutating func type(
        of binding: PatternBindingSyntax, _ name: IdentifierPatternSyntax
    ) -> String? {
        guard let annotation = binding.typeAnnotation else {
            if let type = binding.initializer?.value.shownType { return type }
            let placeholder = binding.with(
                \.typeAnnotation,
                TypeAnnotationSyntax(
                    colon: .colonToken(trailingTrivia: .space),
                    type: TypeSyntax(stringLiteral: "<#Type#> ")))
            report(
                name, "type", "'\(name.trimmedDescription)' needs its type to be stored",
                .replacing(
                    "write its type", binding, with: placeholder.with(\.pattern.trailingTrivia, []))
            )
            return nil
        }
        let type = annotation.type
        if type.is(TupleTypeSyntax.self) || type.is(FunctionTypeSyntax.self)
            || type.is(SomeOrAnyTypeSyntax.self)
        {
            report(
                type, "unstorable",
                "'\(type.trimmedDescription)' cannot be stored; make it an '@Embedded' struct, or "
                    + "mark the property '@Transient'")
            return nil
        }
        if type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            report(type, "unwrapped", "write '?' instead of '!': a stored value may be nil")
            return nil
        }
        return type.trimmedDescription.replacingSelf(with: self.name)
    }

    /// The visible properties: all of them, unless the model is sealed.
    var visible: [PropertyDeclaration] {
        properties.filter { vault == nil || $0.marks.has("Key") || $0.marks.has("Clear") }
    }

    /// The properties that a sealed model seals together, in one blob.
    var sealed: [PropertyDeclaration] {
        properties.filter { vault != nil && !$0.marks.has("Key") && !$0.marks.has("Clear") }
    }

    mutating func appendBacklinks(_ links: BacklinksDeclaration) { backlinks.append(links) }

    mutating func report(
        _ node: some SyntaxProtocol, _ id: String, _ message: String, _ fixIts: FixIt...
    ) {
        var misuse = Misuse(node, id, message)
        misuse.fixIts = fixIts
        misuses.append(misuse)
    }
}

extension DeclSyntax {
    /// Whether the member is a stored property, or an index.
    fileprivate var isStored: Bool {
        if let expansion = self.as(MacroExpansionDeclSyntax.self) {
            return expansion.macroName.text == "Index"
        }
        guard let variable = self.as(VariableDeclSyntax.self) else { return false }
        let isShared = variable.modifiers.contains { ["static", "class"].contains($0.name.text) }
        return !isShared && variable.bindings.contains { !$0.isComputed }
    }
}

extension String {
    /// The type with `Self` replaced by the struct's name.
    fileprivate func replacingSelf(with name: String) -> String {
        var (result, word) = ("", "")
        for character in self + " " {
            if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
            } else {
                result += (word == "Self" ? name : word) + String(character)
                word = ""
            }
        }
        return String(result.dropLast())
    }
}
#endif
