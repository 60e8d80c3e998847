#if Objects
internal import SwiftDiagnostics
internal import SwiftSyntax

/// An error in a declaration to which a macro is attached, and how to correct it.
struct Misuse {
    let node: Syntax
    let id: String
    let message: String
    var fixIts: [FixIt] = []

    init(_ node: some SyntaxProtocol, _ id: String, _ message: String, _ fixIts: FixIt...) {
        (self.node, self.id, self.message, self.fixIts) = (Syntax(node), id, message, fixIts)
    }

    var diagnostic: Diagnostic {
        Diagnostic(node: node, message: Text(id: id, message: message), fixIts: fixIts)
    }

    private struct Text: DiagnosticMessage {
        let id: String
        let message: String

        var diagnosticID: MessageID { MessageID(domain: "BullaObjects", id: id) }
        var severity: DiagnosticSeverity { .error }
    }
}

extension FixIt {
    /// A correction that replaces one node with another.
    static func replacing(
        _ message: String, _ old: some SyntaxProtocol, with new: some SyntaxProtocol
    ) -> FixIt {
        FixIt(
            message: ChangeText(message: message),
            changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }

    private struct ChangeText: FixItMessage {
        let message: String

        var fixItID: MessageID { MessageID(domain: "BullaObjects", id: message) }
    }
}
#endif
