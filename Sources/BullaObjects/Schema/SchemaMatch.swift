/// How a store's schema changes when a program opens the store with its models.
///
/// A match adds new models and indexes, and properties that have a value for existing objects. It
/// lets a property become optional. Whatever is renamed keeps its number. A property that is no
/// longer declared is retired: its values stay. Anything else needs a migration.
package struct SchemaMatch {
    /// The schema before the change.
    package let former: DatabaseSchema
    package internal(set) var schema: DatabaseSchema
    /// The new models, whose trees have to be created.
    package private(set) var newModels: [Int] = []
    /// The new trees for former values of sealed properties.
    package private(set) var newHistories: [Int] = []
    /// The models whose objects must all be written anew.
    package private(set) var rebuilds: [ModelRebuild] = []
    /// The new indexes, each with its model.
    package private(set) var newIndexes: [(model: Int, index: IndexSchema)] = []
    /// The trees of removed indexes.
    package private(set) var goneIndexes: [Int] = []
    /// The new properties whose value for existing objects is still to be evaluated.
    package internal(set) var newProperties:
        [(type: Int, number: Int, definition: PropertyDefinition)] = []
    package private(set) var models: [String: [Int]] = [:]
    package internal(set) var embedded: [String: [Int]] = [:]
    /// The declarations of the embedded types, as text.
    var embeddedTexts: [String: String] = [:]
    /// The migrations that the store has not run.
    let pending: [Migration]
    /// Whether the program has all migrations that the store has run.
    private let knowsAllMigrations: Bool
    /// Whether retired properties are removed from all rows.
    private let isPruning: Bool

    /// - Parameters:
    ///   - keyByteLimit: how many bytes a key of the store's trees can have; a schema keeps the
    ///     limit of the store in which it was made.
    ///   - migrations: all migrations that the program knows; the store runs those that it has not
    ///     run yet.
    ///   - isPruning: whether to remove retired properties, together with their values.
    /// - Throws: `migrationNeeded`; `schemaChanged` if a newer definition has replaced one of
    ///   the program's; `invalidModel` if the definitions contradict themselves.
    package init(
        _ definitions: [ModelDefinition], to stored: DatabaseSchema, keyByteLimit: Int,
        migrations: [Migration] = [], isPruning: Bool = false
    ) throws(ObjectError) {
        (former, schema, self.isPruning) = (stored, stored, isPruning)
        // A store without models has nothing to migrate.
        pending = migrations.filter { step in
            !stored.models.isEmpty && !stored.migrations.contains(step.name)
        }
        if schema.keyByteLimit == 0 { schema.keyByteLimit = keyByteLimit }
        knowsAllMigrations = Set(stored.migrations).isSubset(of: migrations.map(\.name))
        guard Set(definitions.map(\.name)).count == definitions.count else {
            throw ObjectError(.invalidModel, "two models have one name")
        }
        // Match the names first, because a link may name a model that comes later.
        for definition in definitions { try name(definition, among: definitions) }
        for definition in definitions { try take(definition) }
        let names = Set(definitions.map(\.name))
        for step in migrations
        where names.contains(step.model) && !schema.migrations.contains(step.name) {
            schema.migrations.append(step.name)
        }
        do {
            try schema.check()
        } catch {
            throw ObjectError(.invalidModel, error.message)
        }
        if changesSchema { schema.generation += 1 }
    }

    /// Whether the store's schema has to change.
    package var changesSchema: Bool { schema != former }

    /// Sets the value of a new property for existing objects.
    package mutating func setInitial(_ bytes: [UInt8]?, of type: Int, _ number: Int) {
        if let model = schema.models.firstIndex(where: { $0.number == type }) {
            schema.models[model].properties.set(bytes, initialOf: number)
        } else if let embedded = schema.embedded.firstIndex(where: { $0.number == type }) {
            schema.embedded[embedded].properties.set(bytes, initialOf: number)
        }
    }

    private mutating func name(
        _ definition: ModelDefinition, among definitions: [ModelDefinition]
    ) throws(ObjectError) {
        try check(definition)
        guard schema.model(named: definition.name) == nil else { return }
        let former = schema.models.firstIndex { $0.name == definition.formerName }
        // If another declared model has the former name now, the stored model belongs to that
        // declared model, not to this one.
        if let former, !definitions.contains(where: { $0.name == definition.formerName }) {
            schema.models[former].name = definition.name
            return
        }
        // A stored model may have had this form, with this name, in the past. If so, another
        // program has renamed the model since, and this definition is out of date.
        let text = definition.formText
        guard !schema.models.contains(where: { $0.forms.contains { $0.text == text } }) else {
            throw replaced(definition.name)
        }
        let number = schema.takeNumber()
        schema.models.append(
            ModelSchema(
                number: number, name: definition.name, properties: [], key: definition.key,
                indexes: []))
        newModels.append(number)
    }

    private mutating func take(_ definition: ModelDefinition) throws(ObjectError) {
        guard let place = schema.models.firstIndex(where: { $0.name == definition.name }) else {
            return
        }
        let (model, text) = (schema.models[place], definition.formText)
        let steps = pending.filter { $0.model == definition.name }
        let isChange = !model.forms.isEmpty && model.forms.last?.text != text
        let isOlder = model.forms.haveReplaced(text) || isChange && !knowsAllMigrations
        guard !steps.isEmpty || !isOlder else { throw replaced(definition.name) }
        let isNew = newModels.contains(model.number)
        let scope = PropertyMatch(
            type: model.number, name: definition.name, isNew: isNew,
            isMigrated: !steps.isEmpty && !isNew)
        var properties = NumberedProperties(list: model.properties, next: model.nextProperty)
        let numbers = try match(definition.properties, to: &properties, scope)
        models[definition.name] = numbers
        let isPruned = isPruning && properties.list.contains(where: \.isRetired)
        if isPruned { properties.list.removeAll(where: \.isRetired) }
        schema.models[place].properties = properties.list
        schema.models[place].nextProperty = properties.next
        schema.models[place].forms.note(SchemaForm(text: text, numbers: numbers))
        if scope.isMigrated || isPruned {
            rebuilds.append(
                ModelRebuild(
                    model: model.number, formerTree: schema.takeNumber(), steps: steps,
                    formerNames: definition.formerNames(numbers)))
        }
        if definition.keepsHistory, model.historyTree == nil {
            let tree = schema.takeNumber()
            schema.models[place].historyTree = tree
            newHistories.append(tree)
        }
        try takeKey(definition.key.map { numbers[$0] }, place, scope)
        try takeIndexes(of: definition, numbers, place, former: model)
    }

    private mutating func takeKey(
        _ key: [Int], _ place: Int, _ scope: PropertyMatch
    ) throws(ObjectError) {
        guard schema.models[place].key != key else { return }
        guard scope.isMigrated else { throw needed("the key of \(scope.name) is a different one") }
        let links = former.models.flatMap { model in
            model.properties.filter { $0.kind == .link(scope.type) && !$0.isRetired }
                .map { "\(model.name).\($0.name)" }
        }
        guard links.isEmpty else {
            throw needed(
                "the key of \(scope.name) is a different one, and \(links[0]) refers to it by "
                    + "the former one")
        }
        schema.models[place].key = key
    }

    private mutating func takeIndexes(
        of definition: ModelDefinition, _ numbers: [Int], _ place: Int, former: ModelSchema
    ) throws(ObjectError) {
        let links = definition.properties.indices.filter { ordinal in
            schema.models[place].property(numbers[ordinal])?.isLink == true
        }
        var wanted = links.map { (properties: [numbers[$0]], isUnique: false) }
        for index in definition.indexes {
            let properties = index.properties.map { numbers[$0] }
            if !wanted.contains(where: { $0 == (properties, index.isUnique) }) {
                wanted.append((properties, index.isUnique))
            }
        }
        var kept: [IndexSchema] = []
        let isRebuilt = rebuilds.contains { $0.model == former.number }
        for index in schema.models[place].indexes {
            // If a property becomes optional, its encoding in index entries changes.
            let isSame =
                !isRebuilt
                && index.properties.allSatisfy { number in
                    former.property(number)?.multiplicity
                        == schema.models[place].property(number)?.multiplicity
                }
            if isSame, wanted.contains(where: { $0 == (index.properties, index.isUnique) }) {
                kept.append(index)
            } else {
                goneIndexes.append(index.number)
            }
        }
        for (properties, isUnique) in wanted
        where !kept.contains(where: { $0.properties == properties && $0.isUnique == isUnique }) {
            let index = IndexSchema(
                number: schema.takeNumber(), properties: properties, isUnique: isUnique)
            kept.append(index)
            newIndexes.append((schema.models[place].number, index))
        }
        schema.models[place].indexes = kept
    }

    private func check(_ definition: ModelDefinition) throws(ObjectError) {
        let names = definition.properties.map(\.name)
        let ordinals = definition.key + definition.indexes.flatMap(\.properties)
        guard Set(names).count == names.count, !definition.key.isEmpty,
            ordinals.allSatisfy(names.indices.contains)
        else {
            throw ObjectError(
                .invalidModel,
                "\(definition.name) has two properties of one name, no key, or a wrong ordinal")
        }
    }

    func needed(_ reason: String) -> ObjectError {
        ObjectError(.migrationNeeded, "open the database: \(reason)")
    }

    func replaced(_ name: String) -> ObjectError {
        ObjectError(
            .schemaChanged,
            "open the database: \(name) is declared as it was before another program changed it")
    }
}

extension ModelDefinition {
    /// Whether former values of any of its properties are kept.
    fileprivate var keepsHistory: Bool {
        properties.contains { property in
            if case .content(let content) = property.type.kind.form {
                return content().properties.contains { $0.history > 0 }
            }
            return property.history > 0
        }
    }
}

extension [PropertySchema] {
    fileprivate mutating func set(_ bytes: [UInt8]?, initialOf number: Int) {
        guard let place = firstIndex(where: { $0.number == number }) else { return }
        self[place].initial = bytes
    }
}

extension ModelDefinition {
    /// The former names of properties, by number, except those names that another property has now.
    fileprivate func formerNames(_ numbers: [Int]) -> [Int: String] {
        let names = Set(properties.map(\.name))
        let renamed = zip(numbers, properties).compactMap { number, property in
            property.formerName.flatMap { names.contains($0) ? nil : (number, $0) }
        }
        return Dictionary(uniqueKeysWithValues: renamed)
    }
}
