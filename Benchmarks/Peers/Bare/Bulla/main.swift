BareBulla.run()
