import HTTPDoors
import HTTPTypes
import StoreModel

extension DoorRefusal {
  /// What the store refuses, with the error that the app is to see.
  init(_ status: HTTPResponse.Status, _ refusal: StoreRefusal) {
    self.init(status, body: DeviceDoor.Refused(error: refusal))
  }
}
