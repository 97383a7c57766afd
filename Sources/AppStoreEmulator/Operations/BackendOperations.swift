import StoreModel

/// An endpoint for backends with its rule: what this store does, and answers. Each endpoint is documented at its type.
protocol BackendCall: BackendEndpoint {
  func answer(in store: StoreServices, _ context: OperationContext) async throws -> Answer
}

/// A backend's request.
struct BackendOperation<Call: BackendCall>: StoreOperation {
  let call: Call

  func metadata(in store: StoreServices) -> RequestMetadata {
    var metadata = RequestMetadata(Call.kind, call.subject, to: call.request.environment)
    if metadata.bundleID == nil, store.faults.asksForApp(of: Call.kind) { metadata.bundleID = call.claimedApp }
    return metadata
  }

  func run(in store: StoreServices, _ context: OperationContext) async throws -> Call.Answer {
    try await call.answer(in: store, context)
  }

  var unavailable: any Error { Call.unavailable }
  var recordedBody: RecordedBody { call.request.recordedBody }
  static func outcome(of answer: Call.Answer) -> RequestOutcome { Call.outcome(of: answer) }
  static func reason(of answer: Call.Answer) -> String? { Call.reason(of: answer) }
  static func recordedBody(of answer: Call.Answer) -> RecordedBody { Call.recordedBody(of: answer) }
}

extension VerifyReceiptEndpoint: BackendCall {
  func answer(in store: StoreServices, _ context: OperationContext) async throws -> VerifyReceiptResponse {
    let answer = try await store.verification.answer(to: request.body, in: request.environment)
    if let app = answer.bundleID { context.learnApp(app) }
    return answer
  }
}
