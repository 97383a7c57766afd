import Testing

@testable import SignedData

/// Returns the fault with which `body` fails verification. If it does not fail, records an issue and returns nil.
func refusal(
  _ body: () async throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation
) async -> VerificationFailure.Fault? {
  do {
    _ = try await body()
    Issue.record("it was accepted", sourceLocation: sourceLocation)
    return nil
  } catch let failure as VerificationFailure {
    return failure.fault
  } catch {
    Issue.record("it failed otherwise: \(error)", sourceLocation: sourceLocation)
    return nil
  }
}
