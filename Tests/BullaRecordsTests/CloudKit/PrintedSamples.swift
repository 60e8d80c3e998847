import BullaRecords
import Foundation

/// The samples that Apple's documentation prints, with only the import changed.
enum PrintedSamples {
    static func encrypt(_ myRecord: CKRecord) {
        myRecord.encryptedValues["encryptedStringField"] = "Sensitive value"
    }

    static func decrypt(_ myRecord: CKRecord) -> String? {
        let decryptedString = myRecord.encryptedValues["encryptedStringField"] as? String
        return decryptedString
    }

    static func property() -> NSString? {
        let record = CKRecord(recordType: "Property")
        record.encryptedValues["ownerName"] = "Maria Ruiz"
        let clientName = record.encryptedValues["ownerName"] as? NSString
        return clientName
    }

    static func contact(name: String, phoneNumber: String) -> CKRecord {
        let contactRecord = CKRecord(recordType: "Contact")
        contactRecord["name"] = name
        contactRecord.encryptedValues["phoneNumber"] = phoneNumber
        return contactRecord
    }
}
