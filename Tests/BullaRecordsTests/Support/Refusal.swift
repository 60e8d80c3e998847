import BullaRecords

/// The error of `body`; `nil` if it throws none.
func refusal<T>(_ body: () throws(RecordError) -> T) -> RecordError? {
    do throws(RecordError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// Whether `body` asks for something that nobody may have.
func isRefused<T>(_ body: () throws(RecordError) -> T) -> Bool {
    refusal(body)?.code == .invalidArguments
}

/// The record layer's error of `body`, even if `body` does other things as well; `nil` if it throws
/// none.
func refused<T>(_ body: () throws -> T) throws -> RecordError? {
    do {
        _ = try body()
        return nil
    } catch let error as RecordError { return error }
}
