/// How long callers of a backend over several sites wait, and how many of them may.
package struct SitePatience: Sendable {
    /// How long a call waits for a database that moves.
    let moving: Duration
    /// How many callers may wait for databases that move, and how many for each site that does not
    /// answer; further callers are told at once to try again.
    package let callerLimit: Int
    /// How long a site may take before it counts as one that does not answer.
    let slowness: Duration
    /// The time after which one more caller may ask a site that does not answer.
    let silence: Duration

    /// - Parameter callerLimit: a small part of the threads on which callers run.
    package init(
        moving: Duration = .seconds(5), callerLimit: Int = 4, slowness: Duration = .seconds(2),
        silence: Duration = .seconds(10)
    ) {
        (self.moving, self.callerLimit) = (moving, callerLimit)
        (self.slowness, self.silence) = (slowness, silence)
    }
}
