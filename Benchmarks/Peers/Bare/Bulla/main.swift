try BareBulla.obey()
