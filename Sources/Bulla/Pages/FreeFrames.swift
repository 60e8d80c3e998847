internal import BullaMemory

/// Frames that are free, from which any one can be taken at once.
///
/// A stack of frames, and for each frame its place in the stack. At first every frame is free and
/// stands at the place of its own number; a word that reads 0 says that this still holds. So memory
/// is touched only where something has changed.
///
/// A frame that nobody has taken yet is cold: its memory has never been touched, and the first
/// touch costs more than a page's decryption where the kernel, or the host of a virtual machine,
/// must find that memory first.
struct FreeFrames: ~Copyable {
    private let memory: AnonymousRegion
    private let limit: Int
    private var count: Int

    private static let wordByteCount = 8
    private static let takenMark = UInt64.max
    /// In the word of a cold frame that had to leave its first place.
    private static let coldBit: UInt64 = 1 << 63

    /// - Throws: ``MemoryError`` when the system gives no address space.
    init(count: Int) throws(MemoryError) {
        memory = try AnonymousRegion(byteCount: 2 * count * Self.wordByteCount)
        limit = count
        self.count = count
    }

    var isEmpty: Bool { count == 0 }

    /// Gives back a frame that was taken, and is warm since.
    mutating func add(_ frame: Int) {
        put(frame, at: count, isCold: false)
        count += 1
    }

    /// Takes this frame if it is free, or else another one.
    ///
    /// - Parameter isDense: rather one on top of the stack than this one while it is cold: there,
    ///   warm ones come first, then cold ones side by side.
    mutating func take(preferring preferred: Int, densely isDense: Bool = false) -> Int? {
        guard count > 0 else { return nil }
        let last = frame(at: count - 1)
        let place = place(of: preferred)
        count -= 1
        guard let place, last != preferred, !isDense || !isCold(preferred) else {
            markTaken(last)
            return last
        }
        put(last, at: place, isCold: isCold(last))
        markTaken(preferred)
        return preferred
    }

    private func frame(at place: Int) -> Int {
        let word = memory.bytes.view.load(UInt64.self, at: place * Self.wordByteCount)
        return word == 0 ? place : Int(word) - 1
    }

    /// Where a frame stands in the stack; `nil` when it is not free.
    private func place(of frame: Int) -> Int? {
        switch placeWord(of: frame) {
        case 0: frame
        case Self.takenMark: nil
        case let word: Int(word & ~Self.coldBit) - 1
        }
    }

    private func isCold(_ frame: Int) -> Bool {
        let word = placeWord(of: frame)
        return word == 0 || word & Self.coldBit != 0 && word != Self.takenMark
    }

    private func put(_ frame: Int, at place: Int, isCold: Bool) {
        let mark = isCold ? Self.coldBit : 0
        memory.bytes.store(UInt64(frame) + 1, at: place * Self.wordByteCount)
        memory.bytes.store((UInt64(place) + 1) | mark, at: offset(of: frame))
    }

    private func markTaken(_ frame: Int) {
        memory.bytes.store(Self.takenMark, at: offset(of: frame))
    }

    private func placeWord(of frame: Int) -> UInt64 {
        memory.bytes.view.load(UInt64.self, at: offset(of: frame))
    }

    private func offset(of frame: Int) -> Int { (limit + frame) * Self.wordByteCount }
}
