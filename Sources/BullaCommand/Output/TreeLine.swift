internal import Bulla

/// A tree in a list: its name and the number of its entries.
enum TreeLine {
    static func append(_ name: TreeName, _ count: Int, isJSON: Bool, to text: inout [UInt8]) {
        if isJSON {
            text.append(contentsOf: "{\"entryCount\":\(count),".utf8)
            JSONBytes.append("name", name.bytes, to: &text)
            text.append(contentsOf: "}\n".utf8)
        } else {
            EscapedText.append(name.bytes, to: &text)
            text.append(contentsOf: "\t\(count)\n".utf8)
        }
    }
}
