#if Objects
internal import SwiftDiagnostics
internal import SwiftSyntax

/// Sealed and visible properties.
extension StructReader {
    mutating func checkSealed(_ property: PropertyDeclaration) {
        if property.sealedType != nil {
            checkSeal(property)
        } else if let attribute = property.marks.attribute("Sealed") {
            report(
                attribute, "sealed",
                "a sealed property needs the type 'Sealed<...>', so that it is opened on purpose")
        }
        guard vault != nil else {
            guard let attribute = property.marks.attribute("Clear") else { return }
            return report(
                attribute, "clear", "everything is visible in a model that is not sealed")
        }
        guard !property.marks.has("Key"), !property.marks.has("Clear") else { return }
        for mark in ["Indexed", "Unique", "OnDelete"] {
            guard let attribute = property.marks.attribute(mark) else { continue }
            report(
                attribute, "sealed",
                "a sealed property cannot have '@\(mark)': mark it '@Clear' to leave it visible")
        }
        if property.isLink {
            report(
                property.node, "sealed",
                "no index would find a sealed link: mark it '@Clear' to leave it visible")
        }
    }

    private mutating func checkSeal(_ property: PropertyDeclaration) {
        for mark in ["Key", "Indexed", "Unique"] {
            guard let attribute = property.marks.attribute(mark) else { continue }
            report(attribute, "sealed", "a sealed value cannot have '@\(mark)'")
        }
        if vault == nil, property.marks.argument("in", of: "Sealed") == nil {
            report(
                property.node, "sealed",
                "say which vault seals '\(property.name)', as in '@Sealed(in: \"passwords\")'")
        }
    }
}
#endif
