import StoreModel

// What the door tells of its request journal.
extension ControlDoor {
  struct JournaledRequest: Decodable, Sendable {
    struct StruckBy: Decodable, Sendable {
      let id: String
      let kind: String
    }

    let sequence: Int64
    let date: StoreDate
    let call: String
    let installationId: String?
    let customer: String?
    let productIds: [String]?
    let paymentId: String?
    let transactionId: String?
    let outcome: String
    let code: String?
    let status: Int?
    let httpStatus: Int?
    let fault: StruckBy?
  }

  struct RequestList: Decodable, Sendable {
    let requests: [JournaledRequest]
    let kept: Int
    let dropped: Int64
    let last: Int64
  }
}
