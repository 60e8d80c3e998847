internal import Bulla
internal import BullaObjects

extension CommandError {
    /// An error of the objects library, as the command reports it.
    init(_ error: ObjectError) {
        if let cause = error.cause {
            self.init(cause)
            return
        }
        self.init(CommandExit(error), error.message, code: error.code.rawValue)
        guard error.code == .damaged else { return }
        // The message may contain an object's key, which must not get into a log. So the message
        // becomes the hint, which only a terminal shows.
        hint = "(\(error.message))"
        message = "read objects: what is stored is damaged; bulla check says more"
    }

    /// The error for a model that does not exist.
    ///
    /// - Parameters:
    ///   - store: the store, for the message.
    ///   - schema: the schema, from whose models the hint suggests one.
    init(missingModel name: String, of store: String, in schema: DatabaseSchema) {
        self.init(
            .notFound,
            "use a model of \(store): there is none of that name; bulla objects list lists them")
        let likely = Suggestion.best(for: name, among: schema.models.lazy.map(\.name))
        let question = likely.map { ", did you mean \($0)?" } ?? ""
        hint = "(asked for \(name)\(question))"
    }
}

extension CommandExit {
    /// The status for an error of the objects library that no error of the store caused.
    fileprivate init(_ error: ObjectError) {
        self =
            switch error.code {
            case .damaged: .damaged
            case .notFound: .notFound
            case .invalidQuery: .usage
            case .duplicateKey, .duplicateValue, .invalidKey, .invalidLine, .invalidModel,
                .sealed, .tooLarge:
                .data
            case .schemaChanged: .busy
            default: .software
            }
    }
}

extension DatabaseSchema {
    /// - Throws: ``CommandExit/notFound`` if there is no model with that name.
    func check(_ name: String, of store: String) throws {
        guard model(named: name) != nil else {
            throw CommandError(missingModel: name, of: store, in: self)
        }
    }
}
