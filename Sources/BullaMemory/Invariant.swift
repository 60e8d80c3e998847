/// Checks a condition that our own code must keep true; costs nothing unless the checks are built
/// in.
///
/// `scripts/test` runs the tests with `-DBULLA_CHECKS`, which builds the checks in.
@inlinable @inline(__always)
package func invariant(
    _ condition: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String,
    file: StaticString = #file, line: UInt = #line
) {
    #if BULLA_CHECKS
    precondition(condition(), sentence(), file: file, line: line)
    #endif
}
