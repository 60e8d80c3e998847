import BullaTestSupport

WorkerProgram.run(CommandLine.arguments).leave()
