internal import BullaObjectPeer

ObjectProgram.run("bulla-objects-grdb") { try GRDBSide($0) }
