/// Where messages go.
enum StandardError {
    /// Writes a text, or fails in silence: there is nobody left to tell.
    static func write(_ text: String) {
        try? Descriptor.standardError.write(Array(text.utf8)[...])
    }
}
