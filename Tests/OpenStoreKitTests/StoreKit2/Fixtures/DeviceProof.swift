import Crypto
import Foundation

/// The device proof as Apple's documentation teaches servers to compute it.
struct DeviceProof {
  let digest: Data

  init(of device: UUID, nonce: UUID) {
    let text = nonce.uuidString.lowercased() + device.uuidString.lowercased()
    digest = Data(SHA384.hash(data: Data(text.utf8)))
  }
}
