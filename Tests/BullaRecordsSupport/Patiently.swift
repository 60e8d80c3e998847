package import BullaRecords
internal import Foundation

/// Repeats a call while a site does not answer, or a database moves.
package func patiently<R>(
    _ body: () throws(RecordError) -> R
) throws(RecordError) -> R {
    while true {
        do throws(RecordError) { return try body() } catch {
            guard error.code == .unavailable else { throw error }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }
}
