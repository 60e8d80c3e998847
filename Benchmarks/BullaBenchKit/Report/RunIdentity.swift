/// Which run a result is of, so that those of many machines can be told apart and put together.
package struct RunIdentity: Codable, Sendable, Equatable {
    /// The same for all shards of one run.
    package var run: String
    package var host: String
    package var shard: Shard

    package init(run: String, host: String, shard: Shard) {
        self.run = run
        self.host = host
        self.shard = shard
    }
}
