/// Flushes pages, and knows what a flush that fails means for everybody.
protocol PageFlusher: AnyObject, Sendable {
    func flushPages() throws(BullaError)
}
