#if Objects
/// Makes a struct a model, whose values a store keeps as objects.
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
/// The macro writes a conformance to ``Model``, as you could write it by hand. It leaves
/// initializers, default values and other conformances to you. The conformance is as public as the
/// struct. A public struct needs a public initializer of its own, and its file needs `public import
/// BullaObjects`.
@attached(
    member,
    names: named(Columns), named(columns), named(modelName), named(modelDefinition),
    named(modelKey))
@attached(extension, conformances: Model, names: named(init(from:)), named(write(to:)))
public macro Model() = #externalMacro(module: "BullaObjectsMacros", type: "ModelMacro")

/// Makes a struct a model whose objects a vault seals, one by one.
///
/// ```swift
/// @Model(sealedIn: "passwords") struct Login {
///     @Key var id = UUID()
///     @Clear @Indexed var site: String
///     var user: String
///     @Sealed(history: 10) var password: Sealed<Secret>
/// }
/// ```
///
/// The key and the properties marked ``Clear()`` stay visible. All others are in one opaque blob.
/// Inside the blob, each property of a type `Sealed<...>` is sealed once more. A fetch returns a
/// ``SealedObject``.
@attached(
    member,
    names: named(Columns), named(columns), named(modelName), named(modelDefinition),
    named(modelKey))
@attached(extension, conformances: SealedModel, names: named(init(from:)), named(write(to:)))
public macro Model(sealedIn vault: String) =
    #externalMacro(module: "BullaObjectsMacros", type: "ModelMacro")

/// Makes a struct an ``Embedded`` type, whose values are stored inside objects.
@attached(
    member,
    names: named(Columns), named(columns), named(embeddedName), named(embeddedDefinition))
@attached(extension, conformances: Embedded, names: named(init(from:)), named(write(to:)))
public macro Embedded() = #externalMacro(module: "BullaObjectsMacros", type: "EmbeddedMacro")

/// Marks the property whose value identifies an object.
///
/// Several marked properties make a compound key, in the order of their declaration.
@attached(peer)
public macro Key() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Gives a property an index, by which objects are found and sorted.
@attached(peer)
public macro Indexed() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Gives a property an index in which no value except nil occurs twice.
@attached(peer)
public macro Unique() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Says what a property or a model was called before, so that it keeps its stored data.
@attached(peer)
public macro Renamed(from name: String) =
    #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Says what the deletion of this link's target does to the object that has the link.
@attached(peer)
public macro OnDelete(_ rule: DeleteRule) =
    #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Marks a property that is not stored; in a fetched object, it has its default value.
@attached(peer)
public macro Transient() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Marks a property that a vault seals separately; its type is ``Sealed``.
///
/// - Parameters:
///   - vault: the name of the vault; by default the vault of the sealed model.
///   - history: how many former values are kept.
@attached(peer)
public macro Sealed(in vault: String? = nil, history: Int = 0) =
    #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Leaves a property of a sealed model visible.
@attached(peer)
public macro Clear() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Stores a value of a `Codable` type as JSON; see ``Coded`` for the costs.
@attached(peer)
public macro Coded() = #externalMacro(module: "BullaObjectsMacros", type: "MarkMacro")

/// Computes the objects that refer to this object by the given link.
///
/// ```swift
/// @Backlinks(\Employee.company) var staff: Backlinks<Employee>
/// ```
@attached(accessor)
public macro Backlinks<Source, Value>(_ link: KeyPath<Source, Value>) =
    #externalMacro(module: "BullaObjectsMacros", type: "BacklinksMacro")

/// Declares an index of several properties, in this order; write it inside a model.
///
/// ```swift
/// #Index(\Employee.company, \Employee.joined)
/// ```
@freestanding(declaration)
public macro Index<Root>(_ properties: PartialKeyPath<Root>..., isUnique: Bool = false) =
    #externalMacro(module: "BullaObjectsMacros", type: "IndexMacro")
#endif
