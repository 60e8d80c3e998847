internal import BullaPeer

PeerProgram.run("bulla-peer-berkeley") { try BerkeleyEngine($0) }
