/// The value as a `U`, if `T` is the same type; otherwise `nil`.
///
/// A cast with `as?` asks the runtime, which costs more than encoding a number.
@inline(__always)
func same<T, U>(_ value: T, _ type: U.Type) -> U? {
    guard T.self == U.self else { return nil }
    // SAFETY: `T` and `U` are the same type, as checked above.
    return unsafe unsafeBitCast(value, to: U.self)
}

/// The value as a `U`, after the caller has checked that `T` is the same type.
///
/// It does not return an optional, because an optional of a type that is known only at run time
/// costs as much as a cast.
@inline(__always)
func same<T, U>(_ value: T) -> U {
    precondition(T.self == U.self, "the types have been compared")
    // SAFETY: `T` and `U` are the same type, as checked above.
    return unsafe unsafeBitCast(value, to: U.self)
}
