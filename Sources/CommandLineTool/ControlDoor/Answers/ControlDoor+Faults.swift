import StoreModel

// What the door tells of its clock and its faults.
extension ControlDoor {
  struct Clock: Decodable, Sendable {
    let now: StoreDate
    /// Store seconds in one second.
    let rate: Double
  }

  struct Fault: Decodable, Sendable {
    struct Scope: Decodable, Sendable {
      let calls: [String]?
      let environment: String?
      let customer: String?
      let bundleId: String?
      let productId: String?
      let installationId: String?
    }

    struct AppError: Decodable, Sendable {
      let domain: String
      let code: Int
    }

    let id: String
    let kind: String
    let scope: Scope?
    let probability: Double?
    let error: AppError?
    let milliseconds: Int?
    let appearance: String?
    let status: Int?
    let httpStatus: Int?
    let endDate: StoreDate?
    let remaining: Int?
    let hits: Int
    let waiting: Int
    let isActive: Bool
  }

  struct FaultList: Decodable, Sendable {
    let faults: [Fault]
  }
}
