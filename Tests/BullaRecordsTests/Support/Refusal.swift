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
