import BullaTestSupport

await RemoteProgram.run(CommandLine.arguments).leave()
