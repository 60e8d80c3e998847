/// The value as one of a type that may turn out to be its own; `nil` where it does not.
///
/// A cast with `as?` asks the runtime, which costs more than coding a number does.
@inline(__always)
func same<T, U>(_ value: T, _ type: U.Type) -> U? {
    guard T.self == U.self else { return nil }
    // SAFETY: both are the same type, checked above.
    return unsafe unsafeBitCast(value, to: U.self)
}

/// The same, of a type that the caller has compared already: an optional of a type that is known
/// only when the program runs costs as much as a cast.
@inline(__always)
func same<T, U>(_ value: T) -> U {
    precondition(T.self == U.self, "the types have been compared")
    // SAFETY: both are the same type, checked above.
    return unsafe unsafeBitCast(value, to: U.self)
}
