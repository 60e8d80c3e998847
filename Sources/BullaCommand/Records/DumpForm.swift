internal import Bulla

/// The text form that `bulla dump` writes and `bulla load --format dump` reads back exactly.
///
///     #bulla-dump 1                   first line: what it is, and the version of the form
///     #tree NAME                      the entries up to the next such line are this tree's
///     KEY <tab> VALUE                 one entry
///     <tab> VALUE                     more of the value of the entry before
///     #end TREES ENTRIES              last line: how many; without it the dump was cut
///
/// Names, keys and values are in the one-line form of ``EscapedText``. A key that begins with `#`
/// is written with `\x23` in its place, and no key is empty, so the first byte of a line says what
/// it is.
enum DumpForm {
    static let head = "#bulla-dump 1"
    static let tree = "#tree "
    static let end = "#end "

    /// How much of a value stands on one line: no value makes a line that nobody can read.
    static let chunkByteCount = 64 << 10
}
