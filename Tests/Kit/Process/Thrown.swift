/// The error of a type that a function throws; nothing if it throws another one or none.
///
/// Since Swift 6.1, `#expect(throws:)` and `#require(throws:)` return it too.
public func thrown<Failure: Error, Value>(_ type: Failure.Type, by body: () throws -> Value) -> Failure? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? Failure
    }
}

/// The same of a function that waits.
public func thrownAsynchronously<Failure: Error>(
    _ type: Failure.Type, isolation: isolated (any Actor)? = #isolation, by body: () async throws -> Void
) async -> Failure? {
    do {
        try await body()
        return nil
    } catch {
        return error as? Failure
    }
}
