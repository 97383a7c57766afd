#include "BundleReceiptHook.h"

// Foundation on Linux has Bundle.appStoreReceiptURL, but it is always nil, and an extension of the same name would make
// every use of it ambiguous. So the getter's slot in Bundle's class metadata is pointed at OpenStoreKit's own getter
// before any Swift code runs. The symbols are those of the Swift toolchain named in Documentation/architecture.md. They are weak:
// with a toolchain that does not have them the program links all the same, openstorekit_bundle_slots_redirected() is 0, and
// apps use StoreKitDevice.receiptURL.

#if defined(__linux__)

#define WEAK __attribute__((weak))

extern void *bundle_metadata[] __asm__("$s10Foundation6BundleCN") WEAK;
extern void bundle_receipt_url(void) __asm__("$s10Foundation6BundleC18appStoreReceiptURL0A10Essentials0F0VSgvg") WEAK;
extern void openstorekit_bundle_receipt_url(void) WEAK;

// The metadata of Bundle has about a hundred words; a getter that is not among the first three hundred is not there.
enum { slots_to_search = 300 };

static int slots_redirected = 0;

__attribute__((constructor)) static void redirect(void) {
  if (!bundle_metadata || !bundle_receipt_url || !openstorekit_bundle_receipt_url) return;
  for (int slot = 0; slot < slots_to_search; slot++) {
    if (bundle_metadata[slot] == (void *)bundle_receipt_url) {
      bundle_metadata[slot] = (void *)openstorekit_bundle_receipt_url;
      slots_redirected++;
    }
  }
}

int openstorekit_bundle_slots_redirected(void) { return slots_redirected; }

#else

int openstorekit_bundle_slots_redirected(void) { return 0; }

#endif
