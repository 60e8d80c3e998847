#if Objects
internal import SwiftCompilerPlugin
internal import SwiftSyntaxMacros

/// The program that the compiler runs to expand the macros of `BullaObjects`.
@main struct ObjectsPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ModelMacro.self, EmbeddedMacro.self, BacklinksMacro.self, IndexMacro.self, MarkMacro.self,
    ]
}
#else
/// Without the trait `Objects` there are no macros, and the build fetches no package for them.
@main enum NoPlugin {
    static func main() {}
}
#endif
