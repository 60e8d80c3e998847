/// A place in the log: where the next frame belongs, and which frame it must follow.
struct Place: Hashable {
    /// The number of the half's use; successive uses alternate between the halves.
    var use: UInt8 = 0
    /// The cell, within the half, in which the next frame belongs.
    var offset: UInt8 = 0
    /// The header of the segment whose next frame belongs here; 0 if no segment has begun.
    var segment: UInt8 = 0
    /// The frame before, whose tag the next one must name.
    var last = Entry.beginning
}
