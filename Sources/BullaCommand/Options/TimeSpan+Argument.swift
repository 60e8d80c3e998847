internal import ArgumentParser
internal import BullaText

extension TimeSpan: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
