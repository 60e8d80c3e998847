internal import Bulla

/// A change of a model's objects that only the program can describe.
///
/// You need no migration to add a property with a default value, to remove or rename a property, or
/// to make one optional. A property needs a migration if its type changes, or if its value is made
/// from other properties:
///
/// ```swift
/// let names = Migration("names in two parts", of: Person.self) { person, _ in
///     let name = try person.value("name", as: String.self)
///     let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
///     try person.set("first", to: parts.first ?? "")
///     try person.set("last", to: parts.count > 1 ? parts[1] : "")
/// }
/// ```
///
/// A store knows each migration by its name. It runs each of them once, in the order of the list
/// with which you open the store. Keep all migrations in the list of each program that opens the
/// store. Each migration sees what the earlier ones have set. So a store of any age is brought up
/// to date with the program's models in one transaction, and in one pass over its objects. A new
/// store runs no migration.
public struct Migration: Sendable {
    /// The name by which stores know it.
    public let name: String
    /// The name of the model whose objects it changes.
    public let model: String
    private let body: @Sendable (inout MigratedObject, inout ObjectTransaction) throws -> Void

    /// A migration of the objects of a model.
    ///
    /// - Parameters:
    ///   - name: the name by which stores know it; it must be unique and must never change.
    ///   - model: the model whose objects it changes.
    ///   - body: gets each object, and changes it. It also gets the transaction, in which it can
    ///     insert and change objects of other models. Models are migrated in the order in which
    ///     they were passed to the database. Using a model that comes later throws `invalidModel`.
    ///     Of its own model's objects, `body` sees only those that were already migrated. If `body`
    ///     throws, the store stays as it was.
    public init<M: Model>(
        _ name: String, of model: M.Type,
        _ body: @escaping @Sendable (inout MigratedObject, inout ObjectTransaction) throws -> Void
    ) {
        self.init(name, model: M.modelName, body)
    }

    package init(
        _ name: String, model: String,
        _ body: @escaping @Sendable (inout MigratedObject, inout ObjectTransaction) throws -> Void
    ) {
        (self.name, self.model, self.body) = (name, model, body)
    }
}

extension Migration {
    func run(
        _ object: inout MigratedObject, _ transaction: inout ObjectTransaction
    ) throws(ObjectError) {
        do {
            try body(&object, &transaction)
        } catch let error as ObjectError {
            throw error
        } catch let error as BullaError {
            throw ObjectError(error)
        } catch {
            throw ObjectError(.migrationFailed, "migrate \(model), \(name): \(error)")
        }
    }
}
