internal import Bulla

/// What becomes of a model's objects where only the program can say it.
///
/// A property that comes with a value, that goes, that is renamed, or that may be nil from now on
/// needs no migration. One that changes its type, or is made of others, does:
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
/// A store takes each migration once, known by its name, in the order of the list that it is opened
/// with; keep them all there, in each program that opens it. What one has set, the next one finds:
/// so a store of any age comes to the program's form in one transaction, in one pass over its
/// objects. A store that is new needs none, and runs none.
public struct Migration: Sendable {
    /// What stores know it by.
    public let name: String
    /// The name of the model whose objects it changes.
    public let model: String
    private let body: @Sendable (inout MigratedObject, inout ObjectTransaction) throws -> Void

    /// A migration of the objects of a model.
    ///
    /// - Parameters:
    ///   - name: what stores know it by; never to be changed, and unlike that of all others.
    ///   - model: whose objects it changes.
    ///   - body: gets each object as it was, and says what it becomes. It also gets the
    ///     transaction, in which it may insert and change objects of other models. Models are
    ///     migrated in the order in which the database is opened with them: one that comes later is
    ///     refused with `invalidModel`, and of its own model those objects are there that have been
    ///     written anew. If it throws, the store stays as it was.
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
