/// A page that a writer of this process made and sealed.
struct MadePage {
    let pointer: PagePointer
    /// The frame of the cache in which the page lies open.
    ///
    /// `nil` if it lies in none, which is always so in a plain store.
    let frame: Int?
}
