/// A backend that is one of several sites, between which databases can move.
///
/// Its calls check the claim of ``claiming(_:)`` in their own transactions; see ``HomeRow``.
/// Documents of places are at every site, and need no claim.
package protocol SiteBackend: RecordBackend {
    /// The same site for callers with a claim; `nil` for callers that know of no other site.
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
