#if Objects
/// Makes a struct a model: what a store keeps as objects.
///
/// ```swift
/// @Model struct Employee {
///     @Key var number: Int
///     @Indexed var name: String
///     var age = 0
///     var company: Link<Company>?
/// }
/// ```
///
/// It writes what a person could write, a conformance to ``Model``; initializers, default values
/// and other conformances stay the struct's own. What it writes is as public as the struct; a
/// public struct needs a public initializer of its own, and its file `public import BullaObjects`.
@attached(
    member,
    names: named(Columns), named(columns), named(modelName), named(definition), named(modelKey))
@attached(extension, conformances: Model, names: named(init(from:)), named(write(to:)))
public macro Model() = #externalMacro(module: "BullaObjectsMacros", type: "ModelMacro")

/// Makes a struct a model whose objects a vault seals, each by itself.
///
/// ```swift
/// @Model(sealed: "passwords") struct Login {
///     @Key var id = UUID()
///     @Clear @Indexed var site: String
///     var user: String
///     @Sealed(history: 10) var password: Sealed<Secret>
/// }
/// ```
///
/// The key stays visible, and what is marked ``Clear()``; all else is one opaque blob, and what has
/// a type `Sealed<...>` is sealed once more within it. What is fetched is a ``SealedObject``.
@attached(
    member,
    names: named(Columns), named(columns), named(modelName), named(definition), named(modelKey))
@attached(extension, conformances: SealedModel, names: named(init(from:)), named(write(to:)))
public macro Model(sealed vault: String) =
    #externalMacro(module: "BullaObjectsMacros", type: "ModelMacro")

/// Makes a struct one whose values are stored inside of objects.
@attached(
    member,
    names: named(Columns), named(columns), named(embeddedName), named(embeddedDefinition))
@attached(extension, conformances: Embedded, names: named(init(from:)), named(write(to:)))
public macro Embedded() = #externalMacro(module: "BullaObjectsMacros", type: "EmbeddedMacro")

/// Marks the property that tells a model's objects apart, or several that do so together.
///
/// Several make a compound key, in the order of their declaration.
@attached(peer)
public macro Key() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Gives a property an index: objects are found by its values, and sorted by them.
@attached(peer)
public macro Indexed() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Gives a property an index in which no value stands twice; nil is no value.
@attached(peer)
public macro Unique() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Says what a property, or a model, was called before: what is stored under that name is its own.
@attached(peer)
public macro Renamed(from name: String) =
    #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Says what becomes of the object when what its link refers to is deleted.
@attached(peer)
public macro OnDelete(_ rule: DeleteRule) =
    #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Marks a property that is not stored; it has its default value in an object that is read.
@attached(peer)
public macro Transient() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Marks a property whose value a vault seals by itself; its type is ``Sealed``.
///
/// - Parameters:
///   - vault: the name of the vault; that of the model, where it is sealed.
///   - history: how many of its former values are kept.
@attached(peer)
public macro Sealed(in vault: String? = nil, history: Int = 0) =
    #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Leaves a property of a sealed model visible.
@attached(peer)
public macro Clear() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Stores a value of a `Codable` type in JSON, as ``Coded`` says.
@attached(peer)
public macro Coded() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Computes what refers to the object by a link.
///
/// ```swift
/// @Backlinks(\Employee.company) var staff: Backlinks<Employee>
/// ```
@attached(accessor)
public macro Backlinks<Source, Value>(_ link: KeyPath<Source, Value>) =
    #externalMacro(module: "BullaObjectsMacros", type: "BacklinksMacro")

/// Declares an index of several properties, in their order; written inside of a model.
///
/// ```swift
/// #Index(\Employee.company, \Employee.joined)
/// ```
@freestanding(declaration)
public macro Index<Root>(_ properties: PartialKeyPath<Root>..., isUnique: Bool = false) =
    #externalMacro(module: "BullaObjectsMacros", type: "IndexMacro")
#endif
