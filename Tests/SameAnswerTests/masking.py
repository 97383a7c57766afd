"""What two programs may tell differently of the same history: signatures, certificates, random names and the time of this machine."""
import base64
import datetime
import json
import re

JWS = re.compile(r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")
UUID = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}")
RANDOM = re.compile(r"(?:customer|operator)_[A-Za-z0-9_-]{20,}|(?<![A-Za-z0-9])[0-9a-f]{32,64}(?![A-Za-z0-9])")
ENCODED = re.compile(r"[A-Za-z0-9+/]{60,}={0,2}")
DATE = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?: ?(?:Z|UTC|Etc/GMT))?")
PORT = re.compile(r"(?:127\.0\.0\.1|localhost):\d+")
DURATION = re.compile(r"\d+(?:\.\d+)? (?:ms|µs|s)(?=</)")
BACKUP = re.compile(r"(\.backup-)\d+")
# The members whose values no two programs have in common.
SECRET = {"authenticationCode", "x5c", "rootCertificate", "receiptRootCertificate", "tlsRootCertificate", "intermediateCertificates",
          "privateKey", "keyId", "issuerId", "sharedSecret", "durationMicroseconds", "snapshot", "link", "requestId", "traceId"}

RANDOM_MEMBERS = {"id", "files", "digest", "data"}


class Masks:
    """The masks of one program. A random name becomes the number of its first appearance, so that it still must stand where it stood."""

    def __init__(self, address):
        self.address = address
        self.names = {}

    def name(self, text):
        return self.names.setdefault(text, f"<name {len(self.names) + 1}>")

    def text(self, text):
        """The text, without what may differ."""
        if text.startswith("{") or text.startswith("["):
            try:
                return json.dumps(self.value(json.loads(text)), ensure_ascii=False)
            except ValueError:
                pass
        text = JWS.sub(lambda found: self.signed(found.group()), text)
        text = ENCODED.sub(lambda found: self.encoded(found.group()), text)
        text = UUID.sub(lambda found: self.name(found.group().lower()), text)
        text = RANDOM.sub(lambda found: self.name(found.group()), text)
        text = PORT.sub("<address>", text)
        text = DURATION.sub("<duration>", text)
        text = BACKUP.sub(r"\1<now>", text)
        return DATE.sub(lambda found: self.date(found.group()), text)

    def value(self, value, member=None):
        """A value of JSON, without what may differ. The order of the members stays."""
        if member in SECRET:
            return f"<{member}>"
        if isinstance(value, dict):
            return {self.text(key): self.value(inner, key) for key, inner in value.items()}
        if member in ("deliveries", "receipts") and all("id" in one or "digest" in one for one in value):
            # A purchase server has them in the order of their ids or digests, which are random.
            value = sorted(value, key=lambda one: json.dumps({name: one[name] for name in one if name not in RANDOM_MEMBERS}))
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and near_now(value / 1000):
            return "<now>"
        return value

    def signed(self, text):
        header, payload, _ = (part + "=" * (-len(part) % 4) for part in text.split("."))
        parts = [json.loads(base64.urlsafe_b64decode(part)) for part in (header, payload)]
        return f"<signed {json.dumps([self.value(part) for part in parts])}>"

    def encoded(self, text):
        """The contents of an app receipt; a mask of everything else in base64."""
        try:
            return f"<receipt {self.text(receipt_contents(base64.b64decode(text)))}>"
        except (ValueError, IndexError):
            return "<base64>"

    def date(self, text):
        digits = re.sub(r"[^0-9]", "", text.split(".")[0])[:14].ljust(14, "0")
        moment = datetime.datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=datetime.timezone.utc)
        return "<now>" if near_now(moment.timestamp()) else text


def near_now(seconds):
    return abs(seconds - datetime.datetime.now(datetime.timezone.utc).timestamp()) < 2 * 86_400


# The fields of a receipt that its device decides: the opaque value and the hash with it.
RANDOM_FIELDS = {4, 5}


def receipt_contents(data):
    """The fields of an app receipt as text, in their order. Raises ValueError or IndexError for anything else, such as a key."""
    def elements(data):
        found, place = [], 0
        while place < len(data):
            tag, length = data[place], data[place + 1]
            place += 2
            if length & 0x80:
                count = length & 0x7F
                length = int.from_bytes(data[place:place + count], "big")
                place += count
            if place + length > len(data):
                raise ValueError("cut off")
            found.append((tag, data[place:place + length]))
            place += length
        return found

    def fields(data):
        texts = []
        for tag, field in elements(data):
            (_, kind), (_, version), (_, content) = elements(field)
            kind = int.from_bytes(kind, "big")
            shown = "[" + ", ".join(fields(elements(content)[0][1])) + "]" if kind == 17 else content.hex()
            if kind not in RANDOM_FIELDS:
                texts.append(f"{kind}/{version.hex()}: {readable(shown)}")
        return texts

    def readable(text):
        # Dates and names are text within the field; so that dates of today are masked, they are shown as such.
        try:
            content = bytes.fromhex(text)
            return elements(content)[0][1].decode("ascii") if content[0] in (0x0C, 0x16) else text
        except ValueError:
            return text

    (tag, outer), = elements(data)
    parts = elements(elements(outer)[1][1])[0][1] if tag == 0x30 else b""
    inner = elements(parts)[2][1]
    payload = elements(elements(elements(inner)[1][1])[0][1])
    if payload[0][0] != 0x31 and payload[0][0] != 0x30:
        payload = elements(payload[0][1])
    return "; ".join(fields(payload[0][1]) if payload[0][0] == 0x31 else fields(elements(inner)[1][1]))
