/// A place in the log: where the next frame belongs, and what it must fit.
struct Place: Hashable {
    /// Which use of a half it is; the halves are used in turn.
    var use: UInt8 = 0
    /// The cell of the half where the next frame belongs.
    var offset: UInt8 = 0
    /// The header of the segment that reaches to here; 0: none has begun.
    var segment: UInt8 = 0
    /// The frame before, whose tag the next one names.
    var last = Entry.beginning
}
