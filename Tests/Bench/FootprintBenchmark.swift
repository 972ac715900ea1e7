func benchmarkFootprint(_ arguments: [String]) async throws {}
