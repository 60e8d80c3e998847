import BullaCipher
import BullaMemory
import Foundation

/// Bytes at a fixed address, which are never freed.
///
/// A view does not keep its owner alive, and a test often uses the owner for the last time when it
/// takes the view.
@safe final class Bytes {
    private let base: UnsafeMutableRawPointer
    let count: Int
    private static let kept = Kept()

    init(count: Int, filledWith byte: UInt8 = 0) {
        unsafe base = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
        self.count = count
        mutableView.fill(0, count, with: byte)
        Self.kept.append(self)
    }

    convenience init(_ bytes: [UInt8]) {
        self.init(count: bytes.count)
        array = bytes
    }

    var view: ByteView { unsafe ByteView(base: base, byteCount: count) }
    var mutableView: MutableByteView { unsafe MutableByteView(base: base, byteCount: count) }

    var array: [UInt8] {
        get { view.copied() }
        set {
            precondition(newValue.count == count, "the bytes fit")
            // SAFETY: the bytes are as many as were allocated.
            unsafe base.copyMemory(from: newValue, byteCount: count)
        }
    }

    subscript(index: Int) -> UInt8 {
        get { view.load(UInt8.self, at: index) }
        set { mutableView.store(newValue, at: index) }
    }
}

/// Memory kept to the end of the process.
@safe private final class Kept: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [Bytes] = []

    func append(_ bytes: Bytes) {
        lock.withLock { all.append(bytes) }
    }
}

/// `count` bytes, of which byte i is (131 i + 17 + start) mod 256.
func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: 131 * $0 + 17 + start) }
}

extension SecretBytes {
    /// A secret that the test knows.
    init(known bytes: [UInt8]) throws(MemoryError) {
        // SAFETY: the array is alive through the call.
        try unsafe self.init(copying: bytes.span.bytes)
    }

    borrowing func revealed() -> [UInt8] {
        withView { $0.copied() }
    }
}

extension UserKey {
    /// A user's key that the test knows.
    convenience init(known bytes: [UInt8]) throws(CipherError) {
        // SAFETY: the array is alive through the call.
        try unsafe self.init(copying: bytes.span.bytes)
    }
}

extension MasterSecret {
    /// A secret that the test knows.
    init(known bytes: [UInt8], of file: FileIdentifier) throws(CipherError) {
        // SAFETY: the array is alive through the call.
        try unsafe self.init(copying: bytes.span.bytes, fileIdentifier: file)
    }
}
