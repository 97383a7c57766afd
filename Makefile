# make demo    plays the story of a purchase, checks it, and ends in a page: everything in a browser, until Ctrl-C
# make program builds .build/debug/openstorekit
# make test    everything that must hold before a change is taken
# make prove   what takes too long for every change: 10,000 kills at random instants of a purchase, long random histories in all
#              APIs, in the purchase server and in its events, a storm of two servers, and hostile requests for two hours
#              (KILLS=100 STOREKIT2_KILLS=20 AGREEMENT_STEPS=100 NOTIFIED_STEPS=60 EVENT_STEPS=150 LOAD_PURCHASES=24 RANDOM_SEEDS=2 HOSTILE_SECONDS=60
#              make prove is a short one); ends with thread-test and upgrade-test
# make thread-test   the tests of StoreKit under the thread sanitizer, in a build of their own
# make upgrade-test  a purchase server of the version before and one of this version on one database
# make same-answers BEFORE=COMMIT  that version and this one answer a long random history byte for byte alike
# make release  dist/: the program for every Linux on x86-64 with glibc 2.34, Python's wheel, checksums
# make release-test  what make release made, in empty root folders (as root)
# make bench   figures, beside the bare operations of the same run (minutes)
# make bench-check  fails if a main operation takes more than its multiple of the bare operation

SWIFT ?= swift
# A first build of the program makes no index of the sources, which takes a third of the time. Only editors and the
# discovery of XCTest's tests need it. All builds in one folder need the same options, or everything is compiled again: so
# a folder that has an index keeps it.
PROGRAM_OPTIONS = $(if $(wildcard .build/debug/index/store),,--disable-index-store)
# What the package needs of Debian beside Swift, git and make; openssl, curl and python3 are real clients for the tests,
# postgresql is the server that they start for themselves, chromium the browser, with a driver, that pages are tested in.
SYSTEM_PACKAGES = libsqlite3-dev libpq5 tzdata ca-certificates openssl curl python3 postgresql
BROWSER_PACKAGES = chromium chromium-driver python3-selenium python3-venv fonts-noto-core fonts-noto-color-emoji procps

.PHONY: demo program test prove thread-test upgrade-test same-answers bench bench-check system axe server-library python-client lint build examples benchmarks browser-tests documentation-tests server-library-tests python-tests wheel released release release-test screenshots

# PORT=0 make demo lets the system choose where the page is.
PORT ?= 8000
demo: program
	.build/debug/openstorekit demo --headless
	.build/debug/openstorekit demo --port $(PORT)

program: system
	$(SWIFT) build $(PROGRAM_OPTIONS) --product openstorekit

# Four for each of two processors: they compute more than they wait, so more at once would only wait for one another, until
# those with time limits fail.
TESTS_AT_ONCE = 8

# Quiet: only failures are printed, and so are not lost among thousands of lines.
# Hostile requests come by themselves, because they measure processor time and keep the machine busy.
test: SYSTEM_PACKAGES += $(BROWSER_PACKAGES) jq
test: system axe server-library python-client lint build examples benchmarks
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TESTS_AT_ONCE) SWIFT_BACKTRACE=enable=no \
	$(SWIFT) test --quiet --skip-build --disable-xctest --skip HostileRequestTests
	SWIFT_BACKTRACE=enable=no $(SWIFT) test --quiet --skip-build --disable-xctest --filter HostileRequestTests
	$(SWIFT) test --quiet --skip-build --disable-swift-testing --filter StoreKitTestTests
	$(BROWSER_TESTS)
	$(DOCUMENTATION_TESTS)
	$(SERVER_LIBRARY_TESTS)
	$(PYTHON_TESTS)
	$(RELEASE_SCRIPT_TESTS)

# Debian's own Python, which has its Selenium. The pictures they take are in .build/screenshots.
BROWSER_TESTS = rm -rf .build/screenshots && /usr/bin/python3 -W ignore::ResourceWarning Tests/BrowserTests/run.py

# They run the commands of README.md and of the documentation's pages.
DOCUMENTATION_TESTS = /usr/bin/python3 -W ignore::ResourceWarning -m unittest discover --start-directory Tests/DocumentationTests

# axe finds errors of accessibility. It is a JavaScript library, which PyPI has as a Python package.
axe: system
	test -d .build/axe || (/usr/bin/python3 -m venv .build/axe.new && \
	  .build/axe.new/bin/python -m pip install --quiet --disable-pip-version-check axe-core-python==0.1.0 && \
	  mv .build/axe.new .build/axe)

# Apple's App Store Server Library for Python, from PyPI, with its online checks; and the library of Standard Webhooks, which verifies
# the messages of the server's webhooks.
SERVER_LIBRARY_TESTS = .build/server-library/bin/python -W ignore::ResourceWarning -m unittest discover --start-directory Tests/ServerLibraryTests

# The environment is made again when this list changes.
SERVER_LIBRARY_PACKAGES = app-store-server-library==3.1.2 standardwebhooks==1.1.0

server-library: SYSTEM_PACKAGES += python3-venv
server-library: system
	test "$$(cat .build/server-library/packages 2>/dev/null)" = "$(SERVER_LIBRARY_PACKAGES)" || \
	  (rm -rf .build/server-library .build/server-library.new && /usr/bin/python3 -m venv .build/server-library.new && \
	  .build/server-library.new/bin/python -m pip install --quiet --disable-pip-version-check $(SERVER_LIBRARY_PACKAGES) && \
	  echo "$(SERVER_LIBRARY_PACKAGES)" > .build/server-library.new/packages && \
	  mv .build/server-library.new .build/server-library)

server-library-tests: server-library
	$(SWIFT) build $(PROGRAM_OPTIONS) --product openstorekit
	$(SERVER_LIBRARY_TESTS)

# The Python package: its wheel, its types, its fixture. TESTED_PYTHON=… tests another Python, in an environment of its own.
TESTED_PYTHON ?= /usr/bin/python3
PYTHON_CLIENT = .build/python-client$(subst /,-,$(TESTED_PYTHON:/usr/bin/python3=))
PYTHON_PACKAGES = hatchling==1.27.0 packaging==25.0 pytest==8.4.2 pytest-xdist==3.8.0 mypy==1.18.2 ruff==0.17.6 \
  app-store-server-library==3.1.2 httpx==0.28.1 anyio==4.9.0 auditwheel==6.4.2
PYTHON_TESTS = Python/run-tests.sh .build/debug/openstorekit $(PYTHON_CLIENT)

python-client: SYSTEM_PACKAGES += python3-venv
python-client: system
	test -d $(PYTHON_CLIENT) || ($(TESTED_PYTHON) -m venv $(PYTHON_CLIENT).new && \
	  $(PYTHON_CLIENT).new/bin/python -m pip install --quiet --disable-pip-version-check $(PYTHON_PACKAGES) && \
	  mv $(PYTHON_CLIENT).new $(PYTHON_CLIENT))

python-tests: python-client
	$(SWIFT) build $(PROGRAM_OPTIONS) --product openstorekit
	$(PYTHON_TESTS)

# The address of releases. It is in the notices of a release. Nothing downloads from it; python.md says how a download is checked.
export OPENSTOREKIT_RELEASES = https://github.com/OWNER/OpenStoreKit/releases

# The wheel of the last `make release`, with the same program, and the checksums of all files in dist.
WHEEL = rm -f dist/*.whl dist/SHA256SUMS && \
  tar --extract --to-stdout --wildcards '*/THIRD-PARTY-NOTICES' --file dist/openstorekit-*-linux-x86_64.tar.xz \
    > .build/release-static/THIRD-PARTY-NOTICES && \
  OPENSTOREKIT_NOTICES=.build/release-static/THIRD-PARTY-NOTICES \
  Python/build-wheel.sh .build/release-static/openstorekit $(PYTHON_CLIENT)/bin/python dist && \
  (cd dist && sha256sum *.tar.xz *.whl > SHA256SUMS && cat SHA256SUMS) && \
  echo "The place of these files is $(OPENSTOREKIT_RELEASES)."
wheel: released python-client
	$(WHEEL)

released:
	@test -x .build/release-static/openstorekit && ls dist/openstorekit-*-linux-x86_64.tar.xz >/dev/null 2>&1 \
	  || { echo "The wheel contains the program of a release: run make release, which also builds the wheel."; exit 1; }

# g++ has the archive of the C++ library; xz-utils is for tar, when it reads the tarball for the wheel.
release wheel: SYSTEM_PACKAGES += xz-utils
release: SYSTEM_PACKAGES += g++ zlib1g-dev
release: python-client
	SWIFT=$(SWIFT) /usr/bin/python3 Scripts/release/release.py
	$(WHEEL)

# What needs no release: the scripts that make one.
RELEASE_SCRIPT_TESTS = /usr/bin/python3 -W ignore::ResourceWarning -m unittest discover --start-directory Tests/ReleaseTests \
  --pattern test_scripts.py

release-test: SYSTEM_PACKAGES += binutils xz-utils
release-test: python-client
	/usr/bin/python3 -W ignore::ResourceWarning -m unittest discover --verbose --start-directory Tests/ReleaseTests

browser-tests: SYSTEM_PACKAGES += $(BROWSER_PACKAGES)
browser-tests: system axe
	$(SWIFT) build $(PROGRAM_OPTIONS) --product openstorekit
	$(BROWSER_TESTS)

documentation-tests: SYSTEM_PACKAGES += jq
documentation-tests: system server-library python-client
	$(SWIFT) build --product openstorekit
	$(DOCUMENTATION_TESTS)

# Takes the pictures of Documentation/screenshots, in fewer colours than they have: a third of the size.
screenshots: SYSTEM_PACKAGES += pngquant
screenshots: browser-tests
	rm -rf Documentation/screenshots
	mkdir Documentation/screenshots
	cd .build/screenshots && for picture in *.png; do \
	  pngquant --strip --output ../../Documentation/screenshots/$$picture 256 $$picture; done

# Every run has a seed of its own, which a failure names.
KILLS ?= 10000
STOREKIT2_KILLS ?= 1000
# How long each server is sent random hostile requests.
HOSTILE_SECONDS ?= 3600
# The number of stored rows with which every endpoint of both servers is measured.
STORED_ROWS ?= 100000
# The steps of each of five random histories, in which all APIs and notifications must agree.
AGREEMENT_STEPS ?= 2000
# The steps of each of ten random histories whose notifications are lost, doubled and out of order.
NOTIFIED_STEPS ?= 400
# The steps of each random history that is rebuilt from the ledger's events.
EVENT_STEPS ?= 2000
# The number of seeds of the other tests that play random histories.
RANDOM_SEEDS ?= 40
# The purchases that 64 clients redeem while the store, operators and kills interfere, with each database.
LOAD_PURCHASES ?= 400
prove: system build
	COMMIT_POINT_KILLS=$(KILLS) COMMIT_POINT_STOREKIT2_KILLS=$(STOREKIT2_KILLS) COMMIT_POINT_SEED=$${SEED:-$$(date +%s)} SWIFT_BACKTRACE=enable=no \
	STORED_ROWS=$(STORED_ROWS) HOSTILE_SECONDS=$(HOSTILE_SECONDS) HOSTILE_SEED=$${SEED:-$$(date +%s)} \
	AGREEMENT_STEPS=$(AGREEMENT_STEPS) AGREEMENT_SEED=$${SEED:-$$(date +%s)} \
	NOTIFIED_STEPS=$(NOTIFIED_STEPS) NOTIFIED_SEED=$${SEED:-$$(date +%s)} LOAD_PURCHASES=$(LOAD_PURCHASES) \
	EVENT_STEPS=$(EVENT_STEPS) EVENT_SEED=$${SEED:-$$(date +%s)} RANDOM_SEEDS=$(RANDOM_SEEDS) ISOLATED_SESSIONS=1000 \
	$(SWIFT) test --quiet --skip-build --disable-xctest \
	--filter 'CommitPointTests|StoredRows|AppStoreEmulatorTests.AgreementTests|NotifiedHistoryTests|LedgerEventHistoryTests' \
	--filter 'RedemptionLoadTests|RestoreStormTests|PurchaseLedgerTests.PassTests|FamilyShareTests|FamilyAgreementTests' \
	--filter 'StoreKitTestTests.IsolationTests'
	$(THREAD_TEST)
	$(UPGRADE_TEST)

# The sanitizer finds data races of the code that strict concurrency does not check: `@unchecked Sendable`, `nonisolated(unsafe)`.
THREAD_TEST = SWIFT_BACKTRACE=enable=no $(SWIFT) test --quiet --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build/thread --disable-xctest \
  --filter 'OpenStoreKitTests|PurchaseKitTests|PurchaseTestingTests|StoreKitTestTests'
thread-test: system
	$(THREAD_TEST)

# The version before, of the repository's history, beside this one on one PostgreSQL. Another release becomes the version before
# here when it ships.
VERSION_BEFORE = 4ab69b6
UPGRADE_TEST = rm -rf .build/before/source && git worktree prune && \
  git worktree add --detach .build/before/source $(VERSION_BEFORE) && \
  $(SWIFT) build --package-path .build/before/source --scratch-path .build/before/build --product openstorekit && \
  PROGRAM_BEFORE=$$PWD/.build/before/build/debug/openstorekit \
  /usr/bin/python3 -W ignore::ResourceWarning -m unittest discover --start-directory Tests/UpgradeTests
# The version before was linked with libpq when it was built.
prove upgrade-test same-answers: SYSTEM_PACKAGES += libpq-dev
upgrade-test: system
	$(SWIFT) build $(PROGRAM_OPTIONS) --product openstorekit
	$(UPGRADE_TEST)

# Another version of the history and this one must answer a long random history byte for byte alike: before and after a change
# that callers must not see (HISTORY_SEED and HISTORY_STEPS make other histories).
BEFORE ?= HEAD
same-answers: system
	$(SWIFT) build $(PROGRAM_OPTIONS) --product openstorekit
	rm -rf .build/before/source && git worktree prune
	git worktree add --detach .build/before/source $(BEFORE)
	$(SWIFT) build --package-path .build/before/source --scratch-path .build/before/build --product openstorekit
	OTHER_PROGRAM=$$PWD/.build/before/build/debug/openstorekit \
	/usr/bin/python3 -W ignore::ResourceWarning -m unittest discover --start-directory Tests/SameAnswerTests

build:
	$(SWIFT) build --build-tests

# Packages with an app and a library, as other developers have them: built from outside this package, in Swift 5 mode and in
# Swift 6 mode. They use the folder of this package, so that its products are not compiled again. The plan of one package
# must not be taken for the other's.
EXAMPLE_OPTIONS = --scratch-path .build --disable-build-manifest-caching

examples: build
	$(SWIFT) test --package-path Examples/MonkeyShop $(EXAMPLE_OPTIONS) --disable-swift-testing
	$(SWIFT) test --package-path Examples/BananaClub $(EXAMPLE_OPTIONS) --disable-xctest
	$(SWIFT) test --package-path Examples/BookClub $(EXAMPLE_OPTIONS) --disable-xctest

# Only compiled: half a minute, because they use the folder, and the versions, of this package.
benchmarks: build
	cp Package.resolved Benchmarks/Package.resolved
	$(SWIFT) build --package-path Benchmarks --scratch-path .build --disable-build-manifest-caching

# Besides, every suite of tests has a time limit: a test that hangs fails, and says which it was.
lint:
	@/usr/bin/python3 Scripts/folder-order.py
	@awk 'FNR == 1 { suite = "" } /@Suite/ { suite = FILENAME ":" FNR; text = "" } suite { text = text $$0 } \
	  suite && /(struct|class|actor|enum) / { \
	    if (text !~ /timeLimit/) { print suite ": this suite has no time limit"; bad = 1 } suite = "" } \
	  END { exit bad }' $$(find Tests Examples -name '*.swift' -not -path '*/.build/*')
	@# A public error without this protocol is logged by localizedDescription as its type and a number.
	@! grep -rnE 'public (enum|struct|final class) \w+: [^{]*\bError\b' Sources --include=*.swift \
	  || { echo "Make these public errors DescribedErrors."; exit 1; }
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Examples Benchmarks

# nginx is what downloads are compared with.
bench: SYSTEM_PACKAGES += nginx-light
bench: system
	$(SWIFT) build -c release --package-path Benchmarks --scratch-path .build/benchmarks
	$(SWIFT) build -c release --scratch-path .build/benchmarks --package-path Benchmarks --product openstorekit
	Benchmarks/with-postgresql.sh .build/benchmarks/release/purchase-benchmarks

bench-check: system
	$(SWIFT) build -c release --package-path Benchmarks --scratch-path .build/benchmarks --product purchase-benchmarks
	.build/benchmarks/release/purchase-benchmarks check

# Installs what is missing, and says so.
system:
	@missing=""; \
	for package in $(SYSTEM_PACKAGES); do \
	  dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q '^install ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "Installing Debian packages:$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then sudo=""; \
	  elif command -v sudo >/dev/null; then sudo="sudo"; \
	  else echo "Install them as root: apt-get install$$missing"; exit 1; fi; \
	  $$sudo apt-get update -q && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y $$missing; \
	fi
