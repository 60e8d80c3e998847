/// A request as a server has received it.
package struct WebRequest: Sendable {
    package let method: String
    /// As the request's first line has it.
    package let target: String
    /// In their order, with names in any case.
    package let headers: [WebHeader]
    package let body: [UInt8]

    package init(
        _ method: String, _ target: String, headers: [WebHeader] = [], body: [UInt8] = []
    ) {
        (self.method, self.target) = (method, target)
        (self.headers, self.body) = (headers, body)
    }

    /// The value of the first header of a name.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The name of a header and what it says.
package struct WebHeader: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// The target and the headers have what opens accounts.
extension WebRequest: Untold {
    package var description: String { "a request of \(body.count) bytes" }
}

extension WebHeader: Untold {
    package var description: String { "a header" }
}
