/// A place in the log: where the next frame belongs, and which frame it must follow.
struct Place: Hashable {
    /// The use of a half; uses alternate between the halves.
    var use: UInt8 = 0
    /// The cell of the half in which the next frame belongs.
    var offset: UInt8 = 0
    /// The header of the segment that reaches this place; 0: no segment has begun.
    var segment: UInt8 = 0
    /// The frame before, whose tag the next one must name.
    var last = Entry.beginning
}
