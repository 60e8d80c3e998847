package import BullaRecords

/// One call of a backend; several backends must answer it alike.
package struct BackendStep: Sendable, CustomStringConvertible {
    package let description: String
    private let call: @Sendable (any RecordBackend) throws(RecordError) -> BackendAnswer

    init(
        _ description: String,
        _ call: @escaping @Sendable (any RecordBackend) throws(RecordError) -> BackendAnswer
    ) {
        (self.description, self.call) = (description, call)
    }

    package func answer(of backend: any RecordBackend) -> BackendAnswer {
        do throws(RecordError) { return try call(backend) } catch { return .failed(error.code) }
    }
}

/// A backend's answer, for comparison.
package enum BackendAnswer: Hashable, Sendable {
    case zones([StoredZone])
    case flag(Bool)
    case contents(StoredZone?, [String], [StoredRecord?])
    case records([StoredRecord?])
    case batch(BatchOutcome)
    case number(UInt64?)
    case changes(ChangePage?)
    case places(IndexPage)
    case names([String])
    case document(StoredDocument?)
    case bytes([UInt8]?)
    case done
    case failed(RecordError.Code)
}
