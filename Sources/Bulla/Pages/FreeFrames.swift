internal import BullaMemory

/// The free frames, any of which can be taken in constant time.
///
/// One array is a stack of the frames, and another holds each frame's place in the stack. At first
/// every frame is free, and stands in the stack at the place that has the frame's own number. A
/// word of 0 means this initial state, so memory is touched only where something has changed.
struct FreeFrames: ~Copyable {
    private let memory: AnonymousRegion
    private let limit: Int
    private var count: Int

    private static let wordByteCount = 8
    private static let takenMark = UInt64.max

    /// - Throws: ``MemoryError`` if the system has no address space left.
    init(count: Int) throws(MemoryError) {
        memory = try AnonymousRegion(byteCount: 2 * count * Self.wordByteCount)
        limit = count
        self.count = count
    }

    var isEmpty: Bool { count == 0 }

    /// Gives back a frame that was taken.
    mutating func add(_ frame: Int) {
        put(frame, at: count)
        count += 1
    }

    /// Takes the frame on top of the stack: usually one that was used before, if there is any,
    /// otherwise a neighbour of the frame that was taken last.
    ///
    /// Used frames go on top because the first touch of memory costs more than decrypting a page.
    mutating func take() -> Int? {
        guard count > 0 else { return nil }
        count -= 1
        let last = frame(at: count)
        markTaken(last)
        return last
    }

    func contains(_ frame: Int) -> Bool { place(of: frame) != nil }

    /// Takes the preferred frame if it is free, otherwise another one.
    mutating func take(preferring preferred: Int) -> Int? {
        guard let place = place(of: preferred) else { return take() }
        count -= 1
        let last = frame(at: count)
        if last != preferred { put(last, at: place) }
        markTaken(preferred)
        return preferred
    }

    private func frame(at place: Int) -> Int {
        let word = memory.bytes.view.load(UInt64.self, at: place * Self.wordByteCount)
        return word == 0 ? place : Int(word) - 1
    }

    /// Where a frame stands in the stack; `nil` if it is not free.
    private func place(of frame: Int) -> Int? {
        switch placeWord(of: frame) {
        case 0: frame
        case Self.takenMark: nil
        case let word: Int(word) - 1
        }
    }

    private func put(_ frame: Int, at place: Int) {
        memory.bytes.store(UInt64(frame) + 1, at: place * Self.wordByteCount)
        memory.bytes.store(UInt64(place) + 1, at: offset(of: frame))
    }

    private func markTaken(_ frame: Int) {
        memory.bytes.store(Self.takenMark, at: offset(of: frame))
    }

    private func placeWord(of frame: Int) -> UInt64 {
        memory.bytes.view.load(UInt64.self, at: offset(of: frame))
    }

    private func offset(of frame: Int) -> Int { (limit + frame) * Self.wordByteCount }
}
