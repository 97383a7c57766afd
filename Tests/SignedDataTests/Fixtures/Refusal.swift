import Testing

@testable import SignedData

/// The fault `body` is refused with; nil, and an issue, if it is not refused.
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
