internal import BullaPeer

PeerProgram.run("bulla-peer-rocksdb") { try RocksDBEngine($0) }
