internal import BullaMemory

/// Reads a schema text.
///
///     schema  DEFINE SCHEMA [ "(" ] { ( role | type ) ";" } [ ")" [ ";" ] ]
///     role    CREATE ROLE name
///     type    RECORD TYPE name "(" [ part { "," part } ] ")"
///     part    name shape { QUERYABLE | SORTABLE | SEARCHABLE }
///     part    GRANT ( READ | CREATE | WRITE ) { "," ... } TO name
///     shape   [ ENCRYPTED ] kind, LIST "<" [ ENCRYPTED ] kind ">", ENCRYPTED LIST "<" kind ">"
///     kind    STRING | INT64 | DOUBLE | TIMESTAMP | BYTES | LOCATION | REFERENCE | ASSET
///     kind    NUMBER PREFERRED AS ( INT64 | DOUBLE )
///
/// CloudKit's own texts have no parentheses around the statements, but people do write them.
struct SchemaTextReader {
    private var lexer: SchemaTextLexer
    private var schema = RecordSchema()

    private static let statements = "CREATE ROLE, RECORD TYPE"

    init(_ view: ByteView) throws(SchemaTextFault) { lexer = try SchemaTextLexer(view) }

    mutating func read() throws(SchemaTextFault) -> RecordSchema {
        try take(.define)
        try take(.schema)
        let isEnclosed = try takes("(")
        while try readStatement() { try take(";") }
        if isEnclosed {
            guard try takes(")") else { throw lexer.fault(expected: "\(Self.statements) or ')'") }
            _ = try takes(";")
        }
        guard case .end = lexer.token else {
            let statements = isEnclosed ? "" : "\(Self.statements) or "
            throw lexer.fault(expected: statements + "the end")
        }
        return schema
    }

    /// Reads one statement; returns `false` if none begins here.
    private mutating func readStatement() throws(SchemaTextFault) -> Bool {
        if try takes(.create) {
            try take(.role)
            let role = try name("a new role's name") { !$0.roles.contains($1) }
            schema.roles.insert(role)
        } else if try takes(.record) {
            try take(.type)
            let type = try name("a new type's name") { $0.types[$1] == nil }
            schema.types[type] = try recordType()
        } else {
            return false
        }
        return true
    }

    private mutating func recordType() throws(SchemaTextFault) -> RecordType {
        var type = RecordType()
        var seen: Set<String> = []
        try take("(")
        if try takes(")") { return type }
        repeat {
            if try takes(.grant) {
                let privileges = try privileges()
                try take(.to)
                type.grant(privileges, to: try name("a role's name"))
            } else {
                let field = try name("a new field's name or GRANT") { !seen.contains($1) }
                seen.insert(field)
                let shape = try shape()
                type.set(field, to: SchemaField(shape, indexes: try indexes()))
            }
        } while try takes(",")
        guard try takes(")") else {
            throw lexer.fault(expected: "QUERYABLE, SORTABLE, SEARCHABLE, ',' or ')'")
        }
        return type
    }

    private mutating func privileges() throws(SchemaTextFault) -> Privileges {
        var privileges: Privileges = []
        repeat {
            guard let privilege = word?.privilege else {
                throw lexer.fault(expected: "READ, CREATE or WRITE")
            }
            privileges.formUnion(privilege)
            try lexer.advance()
        } while try takes(",")
        return privileges
    }

    private mutating func indexes() throws(SchemaTextFault) -> FieldIndexes {
        var indexes: FieldIndexes = []
        while let index = word?.index {
            indexes.formUnion(index)
            try lexer.advance()
        }
        return indexes
    }

    private mutating func shape() throws(SchemaTextFault) -> FieldShape {
        var isEncrypted = try takes(.encrypted)
        let isList = try takes(.list)
        if isList {
            try take("<")
            if !isEncrypted { isEncrypted = try takes(.encrypted) }
        }
        let kind = try kind(isEncrypted: isEncrypted)
        if isList { try take(">") }
        return FieldShape(FieldKind(kind, isList: isList), isEncrypted: isEncrypted)
    }

    private mutating func kind(isEncrypted: Bool) throws(SchemaTextFault) -> ValueKind {
        // CloudKit uses `NUMBER` for a number whose kind the schema does not fix.
        if !isEncrypted, try takes(.number) {
            try take(.preferred)
            try take(.as)
            guard let kind = word?.kind, kind == .int64 || kind == .double else {
                throw lexer.fault(expected: "INT64 or DOUBLE")
            }
            try lexer.advance()
            return kind
        }
        guard let kind = word?.kind else {
            throw lexer.fault(expected: "a type such as STRING or LIST<STRING>")
        }
        try lexer.advance()
        return kind
    }
}

extension SchemaTextReader {
    /// The current token as a keyword; `nil` if it is not one.
    private var word: SchemaWord? {
        if case .word(let text) = lexer.token { SchemaWord(text) } else { nil }
    }

    /// A name that `isFree` allows: quoted, or a word that needs no quotes.
    private mutating func name(
        _ what: String, where isFree: (RecordSchema, String) -> Bool = { _, _ in true }
    ) throws(SchemaTextFault) -> String {
        let name: String
        switch lexer.token {
        case .quoted(let text): name = text
        case .word(let text) where word?.isReserved != true: name = text
        case .word: throw lexer.fault(expected: "\(what), in quotes if it is a keyword")
        case .mark, .end: throw lexer.fault(expected: what)
        }
        guard isFree(schema, name) else { throw lexer.fault(expected: what) }
        try lexer.advance()
        return name
    }

    private mutating func takes(_ word: SchemaWord) throws(SchemaTextFault) -> Bool {
        guard self.word == word else { return false }
        try lexer.advance()
        return true
    }

    private mutating func take(_ word: SchemaWord) throws(SchemaTextFault) {
        guard try takes(word) else { throw lexer.fault(expected: word.name) }
    }

    private mutating func takes(_ mark: Character) throws(SchemaTextFault) -> Bool {
        guard case .mark(let byte) = lexer.token, byte == mark.asciiValue else { return false }
        try lexer.advance()
        return true
    }

    private mutating func take(_ mark: Character) throws(SchemaTextFault) {
        guard try takes(mark) else { throw lexer.fault(expected: "'\(mark)'") }
    }
}
