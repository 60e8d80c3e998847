/// Fields by name: the plain fields of a record, or its encrypted ones.
public protocol CKRecordKeyValueSetting: AnyObject, Sendable {
    /// The value of a field; `nil` if there is none, or the field was not requested.
    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)?
    /// Sets the value of a field; `nil` removes it.
    func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: CKRecord.FieldKey)
    /// The names of all fields that have a value, in order.
    func allKeys() -> [CKRecord.FieldKey]
    /// The names of the fields that changed since the record was read or saved, in order.
    func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
    /// The value of a field; setting it to `nil` removes it.
    ///
    /// Numbers are read as `NSNumber`, which can be cast to any number type that holds the value.
    public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    /// The value of a field; `nil` also if the value does not have the expected type.
    public subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? {
        get { object(forKey: key) as? T }
        set { setObject(newValue, forKey: key) }
    }
}

extension CKRecord: CKRecordKeyValueSetting {
    /// The value of a plain field; `nil` if there is none, or the field was not requested.
    ///
    /// The value of an asset is also `nil` if no memory can be locked to open it.
    public func object(forKey key: FieldKey) -> (any CKRecordValueProtocol)? {
        // Of the plain fields, only assets have to be opened.
        (try? snapshot.object(key, isEncrypted: false)) ?? nil
    }

    /// Sets the value of a plain field; `nil` removes it.
    public func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: FieldKey) {
        update { $0.set(object, key, isEncrypted: false) }
    }

    /// The names of all plain fields that have a value, in order.
    public func allKeys() -> [FieldKey] { snapshot.keys(isEncrypted: false) }

    /// The names of the plain fields that changed since the record was read or saved, in order.
    public func changedKeys() -> [FieldKey] { snapshot.changedKeys(isEncrypted: false) }

    /// The encrypted fields.
    ///
    /// They can hold the same values as plain fields, except references and assets. Whether a field
    /// is encrypted or plain is settled when it is first saved. The public database refuses
    /// encrypted fields, and no query can search them.
    ///
    /// A field is opened at each access. If that fails because no memory can be locked, the value
    /// is `nil`; ``encryptedValue(forKey:)`` throws the reason.
    public var encryptedValues: any CKRecordKeyValueSetting { EncryptedValues(self) }

    /// The value of an encrypted field; `nil` if there is none, or the field was not requested.
    ///
    /// - Throws: ``CKError`` with `serviceUnavailable` if no memory can be locked to open it.
    public func encryptedValue(
        forKey key: FieldKey
    ) throws -> (any CKRecordValueProtocol)? {
        do throws(RecordError) {
            return try snapshot.object(key, isEncrypted: true)
        } catch { throw CKError(error) }
    }

    private final class EncryptedValues: CKRecordKeyValueSetting {
        private let record: CKRecord

        init(_ record: CKRecord) { self.record = record }

        func object(forKey key: FieldKey) -> (any CKRecordValueProtocol)? {
            (try? record.encryptedValue(forKey: key)) ?? nil
        }

        func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: FieldKey) {
            record.update { $0.set(object, key, isEncrypted: true) }
        }

        func allKeys() -> [FieldKey] { record.snapshot.keys(isEncrypted: true) }

        func changedKeys() -> [FieldKey] { record.snapshot.changedKeys(isEncrypted: true) }
    }
}
