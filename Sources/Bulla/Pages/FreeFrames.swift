/// Frames that are free, from which any one can be taken at once.
struct FreeFrames {
    private var frames: [Int]
    /// Where each frame stands among the free ones; -1 when it is not free.
    private var places: [Int]

    init(count: Int) {
        frames = Array(0..<count)
        places = frames
    }

    var isEmpty: Bool { frames.isEmpty }

    mutating func add(_ frame: Int) {
        places[frame] = frames.count
        frames.append(frame)
    }

    /// Takes this frame if it is free, or another one.
    mutating func take(preferring preferred: Int) -> Int? {
        guard let last = frames.popLast() else { return nil }
        let place = places[preferred]
        guard place >= 0, last != preferred else {
            places[last] = -1
            return last
        }
        frames[place] = last
        places[last] = place
        places[preferred] = -1
        return preferred
    }
}
