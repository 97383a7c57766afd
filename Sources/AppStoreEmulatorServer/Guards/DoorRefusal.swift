import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

/// A request that is refused, with words that say what to do. Its body is `{"error": {"code": …, "message": …}}`.
struct DoorRefusal: Error {
  let status: HTTPResponse.Status
  let refusal: StoreRefusal

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
    self.status = status
    refusal = StoreRefusal(StoreRefusal.Code(code), message)
  }

  init(_ status: HTTPResponse.Status, _ refusal: StoreRefusal) {
    self.status = status
    self.refusal = refusal
  }

  var response: Response {
    // Two strings always encode.
    let body = (try? DeviceDoor.encoder().encode(DeviceDoor.Refused(error: refusal))) ?? Data()
    return .json(body, status: status)
  }
}
