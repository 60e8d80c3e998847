/// Fields by their names: those of a record that are plain, or those that are encrypted.
public protocol CKRecordKeyValueSetting: AnyObject, Sendable {
    /// The value of a field; `nil` where there is none, or where the field was not asked for.
    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)?
    /// Gives a field another value; `nil` removes it.
    func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: CKRecord.FieldKey)
    /// The names of all fields that have a value, in order.
    func allKeys() -> [CKRecord.FieldKey]
    /// The names of the fields that were changed since the record was read or saved, in order.
    func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
    /// A field's value, which is removed by `nil`.
    ///
    /// Numbers are read as `NSNumber`, and cast to each type of number that holds them.
    public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    /// A field's value of the type that the caller expects; `nil` too where it is of another.
    public subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? {
        get { object(forKey: key) as? T }
        set { setObject(newValue, forKey: key) }
    }
}

extension CKRecord: CKRecordKeyValueSetting {
    /// The value of a plain field; `nil` where there is none, or where it was not asked for.
    public func object(forKey key: FieldKey) -> (any CKRecordValueProtocol)? {
        // An asset alone has to be opened: without memory to lock, nobody has it.
        (try? snapshot.object(key, isEncrypted: false)) ?? nil
    }

    /// Gives a plain field another value; `nil` removes it.
    public func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: FieldKey) {
        update { $0.set(object, key, isEncrypted: false) }
    }

    /// The names of all plain fields that have a value, in order.
    public func allKeys() -> [FieldKey] { snapshot.keys(isEncrypted: false) }

    /// The names of the plain fields that were changed since the record was read or saved, in
    /// order.
    public func changedKeys() -> [FieldKey] { snapshot.changedKeys(isEncrypted: false) }

    /// The fields that are encrypted.
    ///
    /// They hold what plain fields hold, but for references and assets. A field stays encrypted, or
    /// plain, as it was saved first. The public database refuses them. None can be searched for.
    ///
    /// A field is opened when it is looked at. Where that fails, which is where no memory can be
    /// locked, its value is `nil`; ``encryptedValue(forKey:)`` says why.
    public var encryptedValues: any CKRecordKeyValueSetting { EncryptedValues(self) }

    /// The value of an encrypted field; `nil` where there is none, or where it was not asked for.
    ///
    /// - Throws: ``CKError`` with `serviceUnavailable` where no memory can be locked to open it.
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
