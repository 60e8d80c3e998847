/// Which of the records' fields are encrypted.
enum RecordFieldForm: String, CaseIterable {
    case plain
    case encrypted = "5 of 10 encrypted"
}
