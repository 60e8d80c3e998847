/// The two stores of a pair.
package enum Side: String, Codable, CaseIterable, Sendable {
    case plain, encrypted

    package var other: Side { self == .plain ? .encrypted : .plain }
}
