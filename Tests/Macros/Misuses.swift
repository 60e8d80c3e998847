// What the macros and the types complain about, where, and what they suggest instead; the compiler
// compares its diagnostics with these comments (`scripts/try-macros`).
import Bulla
import BullaObjects
import Foundation

@Model struct NoKey { // expected-error {{a model needs a key: mark the property that tells its objects apart '@Key'}}
    var name: String
}

@Model struct MayBeKey { // expected-error {{a model needs a key: mark the property that tells its objects apart '@Key'}} expected-note {{make 'id' the key}}
    var id: Int
}

@Model struct KeyOfNil {
    @Key var id: Int? // expected-error {{a key cannot be nil}}
}

@Model struct KeyOfMany {
    @Key var id: [Int] // expected-error {{each part of a key is one value: a number, a text, a date or an identifier}}
}

@Model struct KeyTwice {
    @Key @Unique var id: Int // expected-error {{a key is already unique, and has an index}}
}

@Model struct Constant {
    @Key let id = 1 // expected-error {{'id' already has its value when an object is read: make it a variable, or mark it '@Transient'}} expected-note {{make it a variable}}
}

@Model struct Various {
    @Key var id: Int
    @Indexed var marks: [String: Int] // expected-error {{a dictionary cannot have an index}}
    @OnDelete(.cascade) var age: Int // expected-error {{only a link can have a delete rule}}
    @OnDelete(.nullify) var other: Link<Sound> // expected-error {{'other' cannot be nil, so it cannot be nullified: make it optional, or write '.cascade' or '.deny'}}
    @Renamed(from: "name") var name: String // expected-error {{'name' is its name now; write the former one}}
    @Indexed static var shared: Int { 1 } // expected-error {{a static property is not stored, so it cannot have '@Indexed'}}
    @Indexed var computed: Int { 1 } // expected-error {{a computed property is not stored, so it cannot have '@Indexed'}}
    var modelKey: Int // expected-error {{'modelKey' is already the model's key}}
}

@Model struct Unstorable {
    @Key var id: Int
    var pair: (Int, Int) // expected-error {{'(Int, Int)' cannot be stored; make it an '@Embedded' struct, or mark the property '@Transient'}}
    var action: () -> Int // expected-error {{'() -> Int' cannot be stored; make it an '@Embedded' struct, or mark the property '@Transient'}}
    var maybe: Int! // expected-error {{write '?' instead of '!': a stored value may be nil}}
    lazy var late = 1 // expected-error {{a lazy property cannot be stored: compute it, or give it a value}}
    var first = 1, second = 2 // expected-error {{declare each property separately}}
    var shown = make() // expected-error {{'shown' needs its type to be stored}} expected-note {{write its type}}
    @Transient var hidden: Int // expected-error {{a property that is not stored needs a default value for fetched objects}}
}

func make() -> Int { 1 }
let flag = true

@Model struct Lists {
    @Key var id: Int
    @Unique var tags: [String] // expected-error {{a list has many values: none of them can be unique}}
    var links: [String: Link<Sound>] // expected-error {{no index would find a dictionary of links: use a list}}
    var at = Date.now.description // expected-error {{'at' needs its type to be stored}} expected-note {{write its type}}
    enum Key {} // expected-error {{'Key' is already a type of the model}}
    #if DEBUG // expected-error {{stored properties and indexes cannot depend on '#if': move them out of it}}
    var hidden = 1
    #endif
}

@Embedded @Renamed(from: "Old") struct Moved { // expected-error {{only a model or a property can be renamed}}
    var street: String
}

@Model struct Indexes {
    @Key var id: Int
    var marks: [String: Int]
    #Index(\Indexes.marks) // expected-error {{a dictionary cannot have an index}}
    #Index(\Sound.name) // expected-error {{write a property of the model, as in '\\Indexes.name'}}
    #Index(\Indexes.id, isUnique: flag) // expected-error {{write the literal 'true' or 'false'}}
    #Index(\Indexes.id.description) // expected-error {{write a property of the model, as in '\\Indexes.name'}}
}

@Embedded struct Inside {
    @Key var id: Int // expected-error {{an embedded value is not an object, so it cannot have '@Key'}}
    var link: Link<Sound>? // expected-error {{an embedded value cannot have a link: no index would lead to its object}}
}

@Model struct Unsealed {
    @Key var id: Int
    var pin: Sealed<String> // expected-error {{say which vault seals 'pin', as in '@Sealed(in: "passwords")'}}
    @Sealed(in: "v") var open: String // expected-error {{a sealed property needs the type 'Sealed<...>', so that it is opened on purpose}}
    @Sealed(in: "v") @Indexed var found: Sealed<Int> // expected-error {{a sealed value cannot have '@Indexed'}}
    @Clear var seen: Int // expected-error {{everything is visible in a model that is not sealed}}
}

@Model(sealedIn: "v") struct Locked {
    @Key var id: Int
    @Indexed var name: String // expected-error {{a sealed property cannot have '@Indexed': mark it '@Clear' to leave it visible}}
    var other: Link<Sound>? // expected-error {{no index would find a sealed link: mark it '@Clear' to leave it visible}}
    var note: String
    #Index(\Locked.note) // expected-error {{'note' is sealed, and cannot have an index}}
}

@Embedded struct SealedInside {
    @Sealed(in: "v") var pin: Sealed<Int> // expected-error {{an embedded value is not an object, so it cannot have '@Sealed'}}
}

@Model class NoStruct {} // expected-error {{'@Model' can be attached only to a struct}}

@Model struct Generic<Value> { // expected-error {{'@Model' cannot be attached to a generic struct}}
    @Key var id: Int
}

enum Outer {
    @Model private struct Hidden { // expected-error {{a private type inside another cannot be extended: make it fileprivate}} expected-note {{make it fileprivate}}
        @Key var id: Int
    }
}

struct NoModel {
    @Indexed var id: Int // expected-error {{'@Indexed' has a meaning only in a struct that is an '@Model' or '@Embedded'}}
}

@Model struct Sound {
    @Key var id: Int
    var name: String
    var other: Link<Sound>?
}

@Model(sealedIn: "v") struct Login {
    @Key var id: Int
    var user: String
    @Sealed(history: 3) var password: Sealed<Secret>
}

// The types check the names in queries.
func queries() {
    _ = Sound.where { $0.none == 1 } // expected-error {{value of type 'Sound.Columns' has no member 'none'}}
    _ = Sound.where { $0.id == "1" } // expected-error {{cannot convert value of type 'Column<Sound, Int>' to expected argument type 'Column<Sound, String?>'}} expected-note {{arguments to generic parameter 'Value' ('Int' and 'String?') are expected to be equal}}
    _ = Login.where { $0.user == "Ur" } // expected-error {{value of type 'Login.Columns' has no member 'user'}}
    _ = Login.all.sorted(by: \.password) // expected-error {{cannot convert value of type 'KeyPath<Login.Columns, SealedColumn<Login, Secret>>' to expected argument type 'KeyPath<Login.Columns, Column<Login, Value>>'}} expected-error {{generic parameter 'Value' could not be inferred}} expected-note {{arguments to generic parameter 'Value' ('SealedColumn<Login, Secret>' and 'Column<Login, Value>') are expected to be equal}}
    _ = Sound.all.sorted(by: \.none) // expected-error {{value of type 'Sound.Columns' has no member 'none'}} expected-error {{generic parameter 'Value' could not be inferred}}
}

struct Settings: Codable {}

@Model struct CodedWrongly {
    @Key var id: Int
    @Coded @Indexed var settings: Settings // expected-error {{a value in JSON cannot have '@Indexed'}}
    @Coded var link: Link<Sound> // expected-error {{no index would find a link in JSON: store it as it is}}
    @Coded @Sealed(in: "v") var pin: Sealed<String> // expected-error {{a sealed value is already encoded}}
}
