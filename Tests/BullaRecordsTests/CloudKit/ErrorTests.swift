import BullaRecords
import Foundation
import Testing

@Suite("Errors that clients switch on")
struct ErrorTests {
    @Test("have CloudKit's domain, numbers and keys")
    func bridging() {
        let error: any Error = CKError(.unknownItem, "look up a note")
        let object = error as NSError
        #expect(object.domain == CKErrorDomain && object.code == 11)
        #expect(error.localizedDescription == "look up a note")
        #expect(CKError.Code(rawValue: 14) == .serverRecordChanged)
        #expect(CKError.zoneNotFound.rawValue == 26)
    }

    @Test("are caught by their codes")
    func patterns() {
        func code(_ thrown: CKError.Code) -> String {
            do { throw CKError(thrown) } catch CKError.unknownItem {
                return "unknown"
            } catch CKError.serverRecordChanged { return "changed" } catch { return "other" }
        }
        #expect(code(.unknownItem) == "unknown" && code(.serverRecordChanged) == "changed")
        #expect(code(.zoneNotFound) == "other")
    }
}
