/// Reports a page that is not what its pointer names.
extension PagePointer {
    /// An error that says what is wrong with the page.
    func defect(
        _ what: String, _ kind: StoreDefect.Kind, in file: any StorageFile
    ) -> BullaError {
        BullaError(
            .corrupted, "open page \(number) of \(file.path) from commit \(birth): \(what)",
            page: number, commit: birth, defect: kind)
    }
}
