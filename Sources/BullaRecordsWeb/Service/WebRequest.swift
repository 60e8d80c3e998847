/// A request as a server has received it.
package struct WebRequest: Sendable {
    package let method: String
    /// The target in the request's first line.
    package let target: String
    /// The headers in the order of their arrival; case does not matter in a name.
    package let headers: [WebHeader]
    package let body: [UInt8]

    package init(
        _ method: String, _ target: String, headers: [WebHeader] = [], body: [UInt8] = []
    ) {
        (self.method, self.target) = (method, target)
        (self.headers, self.body) = (headers, body)
    }

    /// The value of the first header with this name; case does not matter.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The name and the value of a header.
package struct WebHeader: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// The target and the headers can contain tokens and signatures, which give access to accounts.
extension WebRequest: Untold {
    package var description: String { "a request of \(body.count) bytes" }
}

extension WebHeader: Untold {
    package var description: String { "a header" }
}
