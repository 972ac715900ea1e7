import Commands

AudioSession.main()
