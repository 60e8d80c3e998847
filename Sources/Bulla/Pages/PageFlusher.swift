/// Flushes pages, and tells all processes if a flush has failed.
protocol PageFlusher: AnyObject, Sendable {
    func flushPages() throws(BullaError)
}
