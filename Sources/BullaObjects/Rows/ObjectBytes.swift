package import BullaMemory

/// An object as it lies in its tree: its key, and the row under it.
package struct ObjectBytes {
    package let key: ByteView
    package let row: Row

    package init(key: ByteView, row: Row) { (self.key, self.row) = (key, row) }
}
