import HTTPTypes
import StoreModel
import WebSupport

extension ErrorResponse {
  /// Makes the response for a refusal of the store. The body contains the refusal.
  init(_ status: HTTPResponse.Status, _ refusal: StoreRefusal) {
    self.init(status, body: DeviceAPI.Refused(error: refusal))
  }
}
