package import BullaMemory

/// An object as its tree holds it: its key, and the row under that key.
package struct ObjectBytes {
    package let key: ByteView
    package let row: Row

    package init(key: ByteView, row: Row) { (self.key, self.row) = (key, row) }
}
