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

/// Whether `body` is refused with `invalidArguments`, because nobody may have what it asks for.
func isRefused<T>(_ body: () throws(RecordError) -> T) -> Bool {
    refusal(body)?.code == .invalidArguments
}

/// The record layer's error that `body` throws, even if `body` can throw others as well; `nil` if
/// it throws none.
func refused<T>(_ body: () throws -> T) throws -> RecordError? {
    do {
        _ = try body()
        return nil
    } catch let error as RecordError { return error }
}
