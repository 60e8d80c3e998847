/// What a courier tells a client that asks for server-sent events.
///
///     data: {"aps":{"content-available":1},"ck":{...}}
///
/// While nothing changes, the client gets comments, which it ignores. If writing a comment fails,
/// the service learns that the client is gone. Source: WHATWG, "HTML", section 9.2.
package enum CourierEvent {
    private static let type = "text/event-stream"
    package static let headers = [WebHeader("Content-Type", type)]
    private static let comment = Array(":\n\n".utf8)

    /// Whether a client asks for events rather than for one answer.
    package static func isWanted(by request: WebRequest) -> Bool {
        let types = request.header("accept")?.split(separator: ",") ?? []
        return types.contains { accepted in
            accepted.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() == type
        }
    }

    /// The event for an answer of the courier, or a comment if the answer says that nothing has
    /// changed; `nil` for a failure, after which no more events follow.
    ///
    /// A notice is a single line, as the data of an event must be.
    package static func bytes(_ answer: WebAnswer) -> [UInt8]? {
        guard answer.failure == nil else { return nil }
        guard answer.body != CourierNotice.nothing else { return comment }
        return Array("data: ".utf8) + answer.body + Array("\n\n".utf8)
    }
}
