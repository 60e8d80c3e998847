/// A backend that is one of several sites, between which databases can move.
///
/// Each call checks the claim given to ``claiming(_:)`` in its own transaction; see ``HomeRow``.
/// Documents of places are at every site, and need no claim.
package protocol SiteBackend: RecordBackend {
    /// The same site for callers with this claim; pass `nil` for callers that know of no other
    /// site.
    ///
    /// A call with a claim that does not hold changes nothing, and throws `unavailable` with
    /// ``RecordError/hasMoved``.
    func claiming(_ claim: HomeClaim?) -> any SiteBackend

    /// The same site for callers that do not want to wait: a call that fails is not repeated.
    func impatient() -> any SiteBackend

    /// Identifies the history of the site itself, as ``RecordBackend/timeline(of:)`` does for a
    /// database that has not moved.
    func siteTimeline() throws(RecordError) -> RandomIdentifier
    /// What movers of databases need.
    var moves: any SiteMoves { get }
}
