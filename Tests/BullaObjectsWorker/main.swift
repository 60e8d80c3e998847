import BullaTestSupport

ObjectsProgram.run(CommandLine.arguments).leave()
