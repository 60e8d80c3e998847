/// The order in which a scan visits keys.
public enum ScanOrder: Sendable {
    /// From the smallest key to the greatest.
    case ascending
    /// From the greatest key to the smallest.
    case descending
}
