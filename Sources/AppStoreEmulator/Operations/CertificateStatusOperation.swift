import SignedData
import StoreModel

/// An OCSP request (RFC 6960) for the status of certificates that this store has issued. Its answer is signed after faults have
/// been applied to it.
struct CertificateStatusOperation: StoreOperation {
  let request: Result<OCSPRequest, OCSPFault>

  func metadata(in store: StoreServices) -> RequestMetadata { RequestMetadata(.certificateStatus) }

  func run(in store: StoreServices, _ context: OperationContext) throws -> OCSPAnswer {
    switch request {
    // Clients compare the dates of the answer with those of their machines.
    case .success(let request):
      try store.signer.authority.statuses(
        request, at: store.clock.machine.now.adding(milliseconds: context.conditions.clockAheadMilliseconds))
    case .failure(let fault): .error(.malformedRequest, reason: fault.description)
    }
  }

  var unavailable: any Error { CertificateStatusServerError(httpStatus: 503) }

  var recordedBody: RecordedBody {
    let numbers = (try? request.get())?.certificates.map { Hexadecimal.text(of: $0.serialNumber) } ?? []
    return RecordedBody(
      ["serialNumbers": numbers], heldBytes: RecordedBody.smallValue + numbers.reduce(0) { $0 + $1.utf8.count })
  }

  static func outcome(of answer: OCSPAnswer) -> RequestOutcome {
    if case .error(let error, _) = answer { .status(Int(error.rawValue)) } else { .answered }
  }

  static func reason(of answer: OCSPAnswer) -> String? {
    if case .error(let error, let reason) = answer { "\(error): \(reason)" } else { nil }
  }

  static func recordedBody(of answer: OCSPAnswer) -> RecordedBody {
    switch answer {
    case .statuses(let statuses):
      RecordedBody(
        JournaledStatuses(statuses), heldBytes: RecordedBody.smallValue + 128 * statuses.certificates.count)
    case .error(let error, _): RecordedBody(["error": error.name], heldBytes: RecordedBody.smallValue)
    }
  }

  /// The answer as the journal shows it.
  private struct JournaledStatuses: Encodable {
    struct Certificate: Encodable {
      let serialNumber: String
      let kind: CertificateStatus.Kind?
      let status: CertificateStatus.Status
    }

    let certificates: [Certificate]
    let thisUpdate: StoreDate
    let nextUpdate: StoreDate

    init(_ statuses: CertificateStatuses) {
      certificates = statuses.certificates.map {
        Certificate(serialNumber: Hexadecimal.text(of: $0.serialNumber), kind: $0.kind, status: $0.status)
      }
      (thisUpdate, nextUpdate) = (statuses.thisUpdate, statuses.nextUpdate)
    }
  }
}

/// An HTTP status in place of an OCSP answer. Clients repeat the request later.
struct CertificateStatusServerError: BackendError {
  let httpStatus: Int

  var response: BackendResponse {
    BackendResponse(nil, status: httpStatus, contentType: "text/plain; charset=utf-8")
  }
  var outcome: RequestOutcome { .serverError(httpStatus) }
}
