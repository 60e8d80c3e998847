import BullaRecords

/// An asset as a field's value: from the answer to an upload, or from a record.
package struct WireAsset: Hashable, Sendable {
    /// The name that the service has given to the asset; not a digest.
    package var fileChecksum: String?
    package var size: Int64?
    package var referenceChecksum: String?
    package var wrappingKey: String?
    /// The receipt of the upload, which a client shows to store the file in a field; `nil` for an
    /// asset read from a record.
    package var receipt: String?
    /// The address of the file; `nil` for an asset in a record that a client writes.
    package var downloadURL: String?

    package init() {}

    init(_ value: JSONValue) throws(RecordError) {
        let value = try value.asObject()
        fileChecksum = try value.optionalText("fileChecksum")
        if let size = value.optional("size") { self.size = Int64(try size.asCount()) }
        referenceChecksum = try value.optionalText("referenceChecksum")
        wrappingKey = try value.optionalText("wrappingKey")
        receipt = try value.optionalText("receipt")
        downloadURL = try value.optionalText("downloadURL")
    }

    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        if let wrappingKey { writer.member("wrappingKey", wrappingKey) }
        if let fileChecksum { writer.member("fileChecksum", fileChecksum) }
        if let receipt { writer.member("receipt", receipt) }
        if let referenceChecksum { writer.member("referenceChecksum", referenceChecksum) }
        if let size { writer.member("size", size) }
        if let downloadURL { writer.member("downloadURL", downloadURL) }
        writer.endObject()
    }
}
