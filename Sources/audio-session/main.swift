import SessionCommands

AudioSession.main()
