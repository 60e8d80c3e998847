import BullaTestSupport

await TrialProgram.run(CommandLine.arguments).leave()
