public import Bulla

/// An error of an operation on objects, with a code to switch on and a message to read.
///
/// The message names the model and the property and, for a damaged or refused object, its key. It
/// contains no other stored value.
public struct ObjectError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    ///
    /// A later version may have more codes, so a `switch` over them needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The code's name, with which ``ObjectError/description`` begins.
        public let rawValue: String

        /// The code with this name, whether this version knows it or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The code's name.
        public var description: String { rawValue }

        /// The store failed; ``ObjectError/cause`` says why.
        public static let store = Code(rawValue: "store")
        /// The stored bytes are not an object, a schema, or a value of the property.
        public static let damaged = Code(rawValue: "damaged")
        /// An object with that key already exists.
        public static let duplicateKey = Code(rawValue: "duplicateKey")
        /// Another object already has the value in a unique index.
        public static let duplicateValue = Code(rawValue: "duplicateValue")
        /// There is no object with that key.
        public static let notFound = Code(rawValue: "notFound")
        /// The key is missing, has other types than the model's key, contains NaN, or is too long,
        /// by itself or as part of an index entry.
        public static let invalidKey = Code(rawValue: "invalidKey")
        /// An update would change the key.
        public static let keyChanged = Code(rawValue: "keyChanged")
        /// The object has changed since it was fetched.
        public static let changedMeanwhile = Code(rawValue: "changedMeanwhile")
        /// This program does not know a stored raw value.
        public static let unknownValue = Code(rawValue: "unknownValue")
        /// Other objects refer to the object, and their rule denies its deletion.
        public static let referenced = Code(rawValue: "referenced")
        /// Another program changed the schema after the database was opened, or the store's schema
        /// is newer than this program's models.
        public static let schemaChanged = Code(rawValue: "schemaChanged")
        /// The models do not fit the store's schema, and no migration says what to do.
        public static let migrationNeeded = Code(rawValue: "migrationNeeded")
        /// A migration threw an error of its own.
        public static let migrationFailed = Code(rawValue: "migrationFailed")
        /// A newer program has changed the schema, so the database can read but not write.
        public static let readOnly = Code(rawValue: "readOnly")
        /// A model's definition contradicts itself.
        public static let invalidModel = Code(rawValue: "invalidModel")
        /// Sealed data could not be opened, or data could not be sealed; ``ObjectError/cause`` says
        /// why.
        public static let sealed = Code(rawValue: "sealed")
        /// A line of an import is not an object of the line's model.
        public static let invalidLine = Code(rawValue: "invalidLine")
        /// The text of a query cannot be read, or names something that the schema does not have.
        public static let invalidQuery = Code(rawValue: "invalidQuery")
        /// An object has more bytes than a row can have, or a sum exceeds the range of its type.
        public static let tooLarge = Code(rawValue: "tooLarge")
    }

    /// The kind of failure.
    public let code: Code
    /// What was attempted, on what, and what was found instead.
    public let message: String
    /// The store's or the vault's error, if it caused this one.
    public let cause: BullaError?

    /// An error without a cause.
    public init(_ code: Code, _ message: String) {
        (self.code, self.message, cause) = (code, message, nil)
    }

    /// An error that the store reported.
    public init(_ cause: BullaError) {
        (code, message, self.cause) = (.store, cause.description, cause)
    }

    /// An error that a vault reported, with what was attempted.
    package init(sealed attempt: String, _ cause: BullaError) {
        (code, message, self.cause) = (.sealed, "\(attempt): \(cause.description)", cause)
    }

    /// The code and the message, as in `damaged: read Employee.age: ...`.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension ObjectError {
    /// Runs an operation of the store, and turns its errors into object errors.
    package static func ofStore<R: ~Copyable>(
        _ body: () throws(BullaError) -> R
    ) throws(ObjectError) -> R {
        do {
            return try body()
        } catch {
            throw ObjectError(error)
        }
    }

    /// Runs an operation that calls a closure of the caller, and turns the errors of both into
    /// object errors.
    package static func whileScanning<R>(_ body: () throws -> R) throws(ObjectError) -> R {
        do {
            return try body()
        } catch {
            throw (error as? ObjectError) ?? (error as? BullaError).map { ObjectError($0) }
                ?? ObjectError(.store, "read objects: \(error)")
        }
    }
}
