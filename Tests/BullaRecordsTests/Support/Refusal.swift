import BullaRecords

/// The error that `body` ends with; `nil` where it does not.
func refusal<T>(_ body: () throws(RecordError) -> T) -> RecordError? {
    do throws(RecordError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// Whether `body` asks for what nobody may have.
func isRefused<T>(_ body: () throws(RecordError) -> T) -> Bool {
    refusal(body)?.code == .invalidArguments
}

/// The record layer's error that `body` ends with, also where it has more to do; `nil` where it
/// does not end with one.
func refused<T>(_ body: () throws -> T) throws -> RecordError? {
    do {
        _ = try body()
        return nil
    } catch let error as RecordError { return error }
}
