/// The answer of `assets/upload`.
package struct UploadAnswer: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package let recordName: String
        package let fieldName: String
        package let url: String

        package init(recordName: String, fieldName: String, url: String) {
            self.recordName = recordName
            self.fieldName = fieldName
            self.url = url
        }
    }

    package let tokens: [Item]

    package init(_ tokens: [Item]) { self.tokens = tokens }

    package func bytes() -> [UInt8] {
        answer { writer in
            writer.list("tokens", tokens) { item, writer in
                writer.beginObject()
                writer.member("recordName", item.recordName)
                writer.member("fieldName", item.fieldName)
                writer.member("url", item.url)
                writer.endObject()
            }
        }
    }
}

/// Keeps the address out of messages, because anyone with the address can send a file.
extension UploadAnswer.Item: Untold {
    package var description: String { "where to send a file" }
}

/// The answer to a client that has sent a file to the address of an upload.
package struct UploadedAnswer: Hashable, Sendable {
    package let asset: WireAsset

    package init(_ asset: WireAsset) { self.asset = asset }

    package func bytes() -> [UInt8] {
        answer { writer in
            writer.key("singleFile")
            asset.append(to: &writer)
        }
    }
}
