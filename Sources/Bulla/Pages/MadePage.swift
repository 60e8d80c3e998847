/// A page that a writer of this process has made and sealed.
struct MadePage {
    let pointer: PagePointer
    /// The frame of the cache in which it lies open; `nil` where it lies in none, as all of a plain
    /// store do.
    let frame: Int?
}
