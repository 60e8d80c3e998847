CountProgram(CommandLine.arguments).run()
