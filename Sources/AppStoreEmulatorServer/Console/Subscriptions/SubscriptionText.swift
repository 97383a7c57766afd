import AppStoreEmulator
import StoreModel
import WebSupport

extension RenewalRecord {
  var stateBadge: HTML {
    switch state {
    case .active: "<span class=\"badge badge-good\">active</span>"
    case .gracePeriod: "<span class=\"badge badge-wait\">grace period</span>"
    case .billingRetry: "<span class=\"badge badge-bad\">billing retry</span>"
    case .expired: "<span class=\"badge\">expired</span>"
    case .revoked: "<span class=\"badge badge-bad\">revoked</span>"
    }
  }
}
