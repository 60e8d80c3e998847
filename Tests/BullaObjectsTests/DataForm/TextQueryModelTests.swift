import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

@Suite struct `Conditions of text` {
    private static let queryCount = TestMode.pick(short: 300, long: 20_000)
    private static let textCount = TestMode.pick(short: 5_000, long: 500_000)
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: TestMode.seeds(4))
    func `of random schemas find what plain dictionaries hold`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let schema = RandomSchema.draw(&random)
        let database = try SchemaStore.make(schema, at: scratch.path("s"), .gcm)
        let oracle = try SchemaStore.fill(database, 80, &random)
        let snapshot = try database.makeSnapshot(visibility: .published)
        for _ in 0..<Self.queryCount {
            let model = random.pick(schema.models)
            let condition = Condition.draw(of: model, oracle, &random)
            let text = condition.text(schema)
            let fitting = ConditionAnswer(condition, oracle).places(of: model)
            let query = TextQuery(model.name, where: text)
            let found = Set(try snapshot.fetch(query))
            #expect(found == Set(fitting.compactMap { oracle.objects[$0] }), "\(text)")
            #expect(try snapshot.count(of: query) == fitting.count)
        }
    }

    @Test(arguments: TestMode.seeds(3))
    func `that are any words at all never trap`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let schema = RandomSchema.draw(&random)
        let database = try SchemaStore.make(schema, at: scratch.path("s"), .plain)
        let oracle = try SchemaStore.fill(database, 20, &random)
        let snapshot = try database.makeSnapshot(visibility: .published)
        var isTaken = false
        for _ in 0..<Self.textCount {
            let model = random.pick(schema.models)
            let text = Self.words(model, oracle, &random)
            do throws(ObjectError) {
                _ = try snapshot.count(of: TextQuery(model.name, where: text, sortedBy: nil))
                isTaken = true
            } catch {
                #expect(error.code == .invalidQuery, "\(text): \(error)")
            }
        }
        #expect(isTaken)
    }

    private static func words(
        _ model: ModelSchema, _ oracle: Oracle, _ random: inout TestRandom
    ) -> String {
        let others = [
            "(", ")", "and", "or", "not", "any", "all", "none", "count", "count(", "in", "is",
            "nil",
            "begins", "with", "contains", "ignoring", "case", "=", "<", ">=", "!=", ",", ".", "[",
            "]", "'", "\"", "`", "\\", "-", "1", "-1e9", "'x'", "\"\\u00e9\"", "true", "\u{0}",
            "\u{1F600}",
        ]
        if random.isOne(in: 2) {
            var text = Array(Condition.draw(of: model, oracle, &random).text(oracle.schema).utf8)
            SampleValue.damage(&text, &random)
            return String(decoding: text, as: UTF8.self)
        }
        let names = model.properties.map(\.name) + others + others
        return (0..<random.below(12)).map { _ in random.pick(names) }.joined(separator: " ")
    }

    @Test func `do not recurse without end`() throws {
        var random = TestRandom(seed: 1)
        let schema = RandomSchema.draw(&random)
        let database = try SchemaStore.make(schema, at: scratch.path("s"), .plain)
        let model = schema.models[0].name
        func count(_ text: String) throws -> Int {
            try database.read { try $0.count(of: TextQuery(model, where: text)) }
        }
        let deep = 100_000
        let nested = String(repeating: "(", count: deep) + "key0 is nil"
        let error = thrownError { _ = try count(nested + String(repeating: ")", count: deep)) }
        #expect(error?.message == "read the condition, column 102: it is nested too deep")
        let paths = Array(repeating: "key0", count: deep).joined(separator: ".")
        #expect(thrownError { _ = try count(paths) }?.code == .invalidQuery)
        // A condition may be as long as desired, and nested as deep as the limit allows.
        let negated = String(repeating: "not ", count: deep)
        #expect(try count(negated + "key0 is nil") == 0)
        let long = Array(repeating: "key0 is nil", count: 10_000).joined(separator: " or ")
        #expect(try count(long) == 0)
        let allowed = String(repeating: "(not ", count: 100) + "key0 is nil"
        #expect(try count(allowed + String(repeating: ")", count: 100)) == 0)
    }
}

/// A condition as a person would write it.
extension Condition {
    func text(_ schema: DatabaseSchema) -> String {
        switch self {
        case .compare(let path, let comparison, let value):
            "\(Self.name(path)) \(Self.sign(comparison)) \(Self.literal(value))"
        case .refersTo(let path, let key):
            "\(Self.name(path)) = \(Self.list(key.map(Self.literal), isBare: true))"
        case .isNil(let path): "\(Self.name(path)) is nil"
        case .oneOf(let path, let values):
            "\(Self.name(path)) in \(Self.list(values.map(Self.literal)))"
        case .hasPrefix(let path, let value):
            "\(Self.name(path)) begins with \(Self.literal(value))"
        case .contains(let path, let value):
            "\(Self.name(path)) contains \(Self.literal(value))"
        case .folded(let path, let word, let text):
            "\(Self.name(path)) \(Self.word(word)) \(Self.quoted(text)) ignoring case"
        case .columns(let one, let comparison, let other):
            "\(one.name) \(Self.sign(comparison)) \(other.name)"
        case .entry(let property, let key, let comparison, let value):
            "\(property.name)[\(Self.quoted(key))] \(Self.sign(comparison)) \(Self.literal(value))"
        case .some(let property, let quantifier, let comparison, let value):
            "\(Self.word(quantifier)) \(property.name) \(Self.sign(comparison)) "
                + Self.literal(value)
        case .count(let property, let comparison, let count):
            "count(\(property.name)) \(Self.sign(comparison)) \(count)"
        case .referrers(let link, let comparison, let count):
            "count(\(Self.name(link, schema))) \(Self.sign(comparison)) \(count)"
        case .not(let condition): "not (\(condition.text(schema)))"
        case .all(let conditions): Self.joined(conditions, "and", schema)
        case .any(let conditions): Self.joined(conditions, "or", schema)
        }
    }

    private static func joined(
        _ conditions: [Condition], _ word: String, _ schema: DatabaseSchema
    ) -> String {
        // No key is nil, so the first of these conditions is never true, and the second always is.
        guard !conditions.isEmpty else { return word == "or" ? "key0 is nil" : "key0 is not nil" }
        return conditions.map { "(\($0.text(schema)))" }.joined(separator: " \(word) ")
    }

    private static func name(_ path: [PropertySchema]) -> String {
        path.map(\.name).joined(separator: ".")
    }

    private static func name(_ link: LinkName, _ schema: DatabaseSchema) -> String {
        let model = schema.model(link.model)
        return "\(model?.name ?? "").\(model?.property(link.property)?.name ?? "")"
    }

    private static func list(_ words: [String], isBare: Bool = false) -> String {
        isBare && words.count == 1 ? words[0] : "(\(words.joined(separator: ", ")))"
    }

    private static func sign(_ comparison: Filter.Comparison) -> String {
        switch comparison {
        case .equal: "="
        case .unequal: "!="
        case .less: "<"
        case .atMost: "<="
        case .greater: ">"
        case .atLeast: ">="
        }
    }

    private static func word(_ quantifier: Filter.Quantifier) -> String {
        switch quantifier {
        case .some: "any"
        case .every: "all"
        case .none: "none"
        }
    }

    private static func word(_ folded: Filter.Folded) -> String {
        switch folded {
        case .equal: "="
        case .prefix: "begins with"
        case .contains: "contains"
        }
    }

    private static func literal(_ scalar: Scalar) -> String {
        switch scalar {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .double(let value): number(value)
        case .date(let value): number(value.timeIntervalSinceReferenceDate)
        case .string(let value): quoted(value)
        case .data(let value): "'\(value.base64EncodedString())'"
        case .uuid(let value): "'\(value)'"
        case .decimal(let value): value.isNaN ? "'nan'" : "\(value)"
        }
    }

    private static func number(_ value: Double) -> String {
        value.isFinite ? "\(value)" : value.isNaN ? "'nan'" : value > 0 ? "'inf'" : "'-inf'"
    }

    private static func quoted(_ text: String) -> String {
        let data = try? JSONEncoder().encode(text)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "''"
    }
}
