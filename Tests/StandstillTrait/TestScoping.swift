#if compiler(<6.1)
    @_spi(Experimental) package import Testing

    /// What surrounds a test: as the protocol that Swift Testing has under this name since Swift 6.1. In Swift 6.0 it had
    /// another one, which was not public yet.
    package protocol TestScoping: CustomExecutionTrait {
        /// What surrounds a whole test, if there is no case, or one of its cases.
        func scopeProvider(for test: Test, testCase: Test.Case?) -> Self?

        /// Runs a test or one of its cases.
        func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws
    }

    extension TestScoping {
        package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

        /// Finds what surrounds it.
        public func execute(
            _ function: @escaping @Sendable () async throws -> Void, for test: Test, testCase: Test.Case?
        ) async throws {
            guard let provider = scopeProvider(for: test, testCase: testCase) else { return try await function() }
            try await provider.provideScope(for: test, testCase: testCase, performing: function)
        }
    }
#endif
