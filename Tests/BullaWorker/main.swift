WorkerProgram.run(CommandLine.arguments).leave()
