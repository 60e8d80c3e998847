#if Objects
internal import SwiftDiagnostics
internal import SwiftSyntax

/// Checks that each property is what its marks require.
extension StructReader {
    mutating func check(_ property: PropertyDeclaration) {
        checkName(property)
        checkSealed(property)
        checkCoded(property)
        if let rule = property.marks.attribute("OnDelete") { checkRule(rule, property) }
        for mark in ["Indexed", "Unique"] {
            guard let attribute = property.marks.attribute(mark) else { continue }
            if property.isDictionary {
                report(attribute, "index", "a dictionary cannot have an index")
            } else if property.isMany, mark == "Unique" {
                report(attribute, "index", "a list has many values: none of them can be unique")
            }
        }
        if property.isDictionary, property.isLink {
            report(property.node, "link", "no index would find a dictionary of links: use a list")
        }
        guard let key = property.marks.attribute("Key") else { return }
        if property.isOptional { report(key, "key", "a key cannot be nil") }
        if property.isLink || property.type.hasPrefix("[") || property.type.hasPrefix("Set<") {
            report(
                key, "key",
                "each part of a key is one value: a number, a text, a date or an identifier")
        }
        if property.marks.has("Unique") || property.marks.has("Indexed") {
            report(key, "key", "a key is already unique, and has an index")
        }
    }

    private mutating func checkName(_ property: PropertyDeclaration) {
        if property.storedName == "modelKey" {
            report(property.node, "name", "'modelKey' is already the model's key")
        }
        guard let attribute = property.marks.attribute("Renamed") else { return }
        guard let former = property.marks.argument(of: "Renamed")?.plainText else {
            return report(attribute, "renamed", "write the former name as a plain text")
        }
        if former == property.storedName {
            report(attribute, "renamed", "'\(former)' is its name now; write the former one")
        }
    }

    private mutating func checkCoded(_ property: PropertyDeclaration) {
        guard let coded = property.marks.attribute("Coded") else { return }
        for mark in ["Key", "Indexed", "Unique"] {
            guard let attribute = property.marks.attribute(mark) else { continue }
            report(attribute, "coded", "a value in JSON cannot have '@\(mark)'")
        }
        if property.isLink {
            report(coded, "coded", "no index would find a link in JSON: store it as it is")
        }
        if property.sealedType != nil {
            report(coded, "coded", "a sealed value is already encoded")
        }
    }

    private mutating func checkRule(_ rule: AttributeSyntax, _ property: PropertyDeclaration) {
        guard property.isLink else {
            return report(
                rule, "rule", "only a link can have a delete rule")
        }
        let isMany = property.type.hasPrefix("[") || property.type.hasPrefix("Set<")
        let text = property.marks.argument(of: "OnDelete")?.trimmedDescription ?? ""
        if text.hasSuffix("nullify"), !property.isOptional, !isMany {
            report(
                rule, "rule",
                "'\(property.name)' cannot be nil, so it cannot be nullified: make it optional, or "
                    + "write '.cascade' or '.deny'")
        }
    }

    mutating func checkTransient(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax
    ) {
        let type = binding.typeAnnotation?.type
        guard binding.initializer == nil, type?.is(OptionalTypeSyntax.self) != true else { return }
        report(
            variable, "transient",
            "a property that is not stored needs a default value for fetched objects")
    }

    mutating func reportConstant(_ variable: VariableDeclSyntax, _ name: String) {
        let changed = variable.with(
            \.bindingSpecifier, variable.bindingSpecifier.with(\.tokenKind, .keyword(.var)))
        report(
            variable.bindingSpecifier, "constant",
            "'\(name)' already has its value when an object is read: make it a variable, or mark "
                + "it '@Transient'",
            .replacing("make it a variable", variable, with: changed))
    }

    /// Reports marks on a declaration that stores nothing.
    mutating func reportMarks(_ marks: Marks, _ what: String) {
        for (name, attribute) in marks.own {
            report(attribute, "unstored", "\(what) is not stored, so it cannot have '@\(name)'")
        }
    }

    mutating func read(_ attribute: AttributeSyntax, _ binding: PatternBindingSyntax) {
        guard let path = KeyPathText(argument: attribute), let root = path.root else {
            return report(
                attribute, "backlinks", "write the link that leads here, as in '\\Employee.company'"
            )
        }
        appendBacklinks(
            BacklinksDeclaration(
                name: binding.pattern.trimmedDescription, source: root, property: path.property))
    }
}

extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var plainText: String? {
        guard let segments = self.as(StringLiteralExprSyntax.self)?.segments, segments.count == 1,
            case .stringSegment(let segment) = segments.first
        else { return nil }
        return segment.content.text
    }
}

extension PatternBindingSyntax {
    var isComputed: Bool {
        switch accessorBlock?.accessors {
        case .getter: return true
        case .accessors(let list):
            return list.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        case nil: return false
        }
    }
}
#endif
