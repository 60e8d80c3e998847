public import Bulla

/// What went wrong with objects, in a form to switch on and in a form to read.
///
/// The message names the model and the property, and for a damaged or refused object how its key
/// looks to a person; it never holds a value.
public struct ObjectError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    ///
    /// A later version may have more of them, so a `switch` over it needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The code's name, as ``ObjectError/description`` begins with it.
        public let rawValue: String

        /// The code of a name, whether this version knows it or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The code's name.
        public var description: String { rawValue }

        /// The store failed; ``ObjectError/cause`` says why.
        public static let store = Code(rawValue: "store")
        /// What is stored is no object, no schema, or no value of its property.
        public static let damaged = Code(rawValue: "damaged")
        /// An object of that key is there already.
        public static let duplicateKey = Code(rawValue: "duplicateKey")
        /// Another object has the value of a unique index already.
        public static let duplicateValue = Code(rawValue: "duplicateValue")
        /// There is no object of that key.
        public static let notFound = Code(rawValue: "notFound")
        /// A key has a value that none can have: what is no number, or too many bytes.
        public static let invalidKey = Code(rawValue: "invalidKey")
        /// An update would change the key.
        public static let keyChanged = Code(rawValue: "keyChanged")
        /// The object is no longer what it was when it was fetched.
        public static let changedMeanwhile = Code(rawValue: "changedMeanwhile")
        /// A stored raw value is none that this program knows.
        public static let unknownValue = Code(rawValue: "unknownValue")
        /// Others refer to the object, and their rule denies its deletion.
        public static let referenced = Code(rawValue: "referenced")
        /// Another program has changed the schema: since the database was opened, or to one that is
        /// newer than this program's models.
        public static let schemaChanged = Code(rawValue: "schemaChanged")
        /// The models do not fit the store's schema, and no step says what to do.
        public static let migrationNeeded = Code(rawValue: "migrationNeeded")
        /// A migration threw an error of its own.
        public static let migrationFailed = Code(rawValue: "migrationFailed")
        /// The database reads on what it knows of a newer schema, and does not write.
        public static let readOnly = Code(rawValue: "readOnly")
        /// A definition of a model contradicts itself.
        public static let invalidModel = Code(rawValue: "invalidModel")
        /// What is sealed was not opened, or not sealed; ``ObjectError/cause`` says why.
        public static let sealed = Code(rawValue: "sealed")
        /// A line of an import is no object of its model.
        public static let invalidLine = Code(rawValue: "invalidLine")
        /// A query's text is none, or says what the schema does not have.
        public static let invalidQuery = Code(rawValue: "invalidQuery")
        /// An object has more bytes than a row can have.
        public static let tooLarge = Code(rawValue: "tooLarge")
    }

    /// The kind of failure.
    public let code: Code
    /// What was attempted, on what, and what was found instead.
    public let message: String
    /// What the store said, where it was the store that failed.
    public let cause: BullaError?

    /// An error without a cause in the store.
    public init(_ code: Code, _ message: String) {
        (self.code, self.message, cause) = (code, message, nil)
    }

    /// What the store said.
    public init(_ cause: BullaError) {
        (code, message, self.cause) = (.store, cause.description, cause)
    }

    /// What the vault said, with what was attempted.
    package init(sealed attempt: String, _ cause: BullaError) {
        (code, message, self.cause) = (.sealed, "\(attempt): \(cause.description)", cause)
    }

    /// As `damaged: read Employee.age: ...`.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension ObjectError {
    /// Runs what the store does, whose errors become those of objects.
    package static func ofStore<R: ~Copyable>(
        _ body: () throws(BullaError) -> R
    ) throws(ObjectError) -> R {
        do {
            return try body()
        } catch {
            throw ObjectError(error)
        }
    }

    /// Runs what lends a caller something, and throws what either of them throws.
    package static func whileScanning<R>(_ body: () throws -> R) throws(ObjectError) -> R {
        do {
            return try body()
        } catch {
            throw (error as? ObjectError) ?? (error as? BullaError).map { ObjectError($0) }
                ?? ObjectError(.store, "read objects: \(error)")
        }
    }
}
