/// The value as one of a type that may turn out to be its own; `nil` where it does not.
///
/// A cast with `as?` asks the runtime, which costs more than coding a number does.
@inline(__always)
func same<T, U>(_ value: T, _ type: U.Type) -> U? {
    guard T.self == U.self else { return nil }
    // SAFETY: both are the same type, checked above.
    return unsafe unsafeBitCast(value, to: U.self)
}
