/// What a sealed page is bound to: bytes that are authenticated with it.
///
///     offset  bytes  field
///          0     16  file identifier   a page cannot move to another file
///         16      8  page number       nor to another place in this file
///         24      8  birth commit      nor stand in for an older or newer version of itself
///         32      4  key epoch         nor be read under another key
///         36      1  page kind         nor be taken for a different kind of page
///         37      1  suite             nor be opened with another cipher
///         38      2  format version    nor be read by another format's rules
///
/// The ``PageCipher`` supplies what is the same for the whole file (identifier, suite, format
/// version).
package struct PageContext: Equatable, Sendable {
    package var pageNumber: UInt64
    package var birth: UInt64
    /// Zero in a plain file.
    package var epoch: UInt32
    package var kind: UInt8

    package init(pageNumber: UInt64, birth: UInt64, epoch: UInt32, kind: UInt8) {
        self.pageNumber = pageNumber
        self.birth = birth
        self.epoch = epoch
        self.kind = kind
    }
}
