/// Flushes pages, and handles a failed flush for all processes.
protocol PageFlusher: AnyObject, Sendable {
    func flushPages() throws(BullaError)
}
