import AppStoreEmulator
import ControlAPI
import HTTPDoors
import Hummingbird

/// The customers.
struct CustomerRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.add(ControlEndpoints.customers) { _ in
      try await Response.answering { CustomerList(customers: try await store.customers().map(CustomerView.init)) }
    }
    control.add(ControlEndpoints.addCustomer) { input in
      try await Response.answering(status: .created) {
        let customer = input.body.customer
        try await store.addCustomer(customer)
        return CustomerView(customer)
      }
    }
    control.add(ControlEndpoints.customer) { input in
      try await Response.answering {
        CustomerView(try await store.customer(input.path.name, input.path.environment.environment))
      }
    }
    control.add(ControlEndpoints.changeCustomer) { input in
      try await Response.answering {
        let change = input.body
        return CustomerView(
          try await store.changeCustomer(input.path.name, input.path.environment.environment) { customer in
            if let password = change.password { customer.password = password }
            customer.storefrontCountryCode = change.storefront ?? customer.storefrontCountryCode
            customer.paymentMethod = change.paymentMethod ?? customer.paymentMethod
            customer.needsApproval = change.needsApproval ?? customer.needsApproval
            if let family = change.family { customer.family = family }
          })
      }
    }
    control.add(ControlEndpoints.removeCustomer) { input in
      try await Response.answering {
        CustomerView(try await store.removeCustomer(input.path.name, input.path.environment.environment))
      }
    }
  }
}
