// With -DPLAIN_ENGINE, the tests of the engine run on the plain one.
#if PLAIN_ENGINE
    import PlainEngine

    typealias Engine = PlainEngine.Engine
#endif
