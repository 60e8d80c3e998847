/// Nobody reads standard output any more: the command ends without a word.
struct OutputClosed: Error {}
