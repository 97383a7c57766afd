# make demo    plays the story of a purchase, checks it, and ends in a page: everything in a browser, until Ctrl-C
# make program builds .build/debug/openstorekit
# make test    everything that must hold before a change is taken
# make prove   what takes too long for every change: 10,000 kills at random instants of a purchase, and hostile requests for
#              two hours (KILLS=100 HOSTILE_SECONDS=60 make prove is a short one); ends with upgrade-test
# make upgrade-test  a purchase server of the version before and one of this version on one database
# make same-answers BEFORE=COMMIT  that version and this one answer a long random history byte for byte alike
# make bench   figures, beside the bare operations of the same run (minutes)
# make bench-check  fails if a main operation takes more than its multiple of the bare operation

SWIFT ?= swift
# A first build of the program makes no index of the sources, which takes a third of the time. Only editors and the
# discovery of XCTest's tests need it. All builds in one folder need the same options, or everything is compiled again: so
# a folder that has an index keeps it.
PROGRAM_OPTIONS = $(if $(wildcard .build/debug/index/store),,--disable-index-store)
# What the package needs of Debian beside Swift, git and make; openssl, curl and python3 are real clients for the tests,
# postgresql is the server that they start for themselves, chromium the browser, with a driver, that pages are tested in.
SYSTEM_PACKAGES = libsqlite3-dev libpq-dev tzdata ca-certificates openssl curl python3 postgresql
BROWSER_PACKAGES = chromium chromium-driver python3-selenium python3-venv fonts-noto-core fonts-noto-color-emoji procps

.PHONY: demo program test prove upgrade-test same-answers bench bench-check system axe server-library lint build examples benchmarks browser-tests documentation-tests server-library-tests screenshots

# PORT=0 make demo lets the system choose where the page is.
PORT ?= 8000
demo: program
	.build/debug/openstorekit demo --headless
	.build/debug/openstorekit demo --port $(PORT)

program: system
	$(SWIFT) build $(PROGRAM_OPTIONS) --product openstorekit

# Not all tests at once: they would wait for one another, and have thousands of files open. Where a process has more than about
# 1,300, Foundation's Process reads beyond its memory when it looks for the highest, which can end the tests (Swift 6.3).
TESTS_AT_ONCE = 64

# Quiet: only failures are printed, and so are not lost among thousands of lines.
# Hostile requests come by themselves, because they measure processor time and keep the machine busy.
test: SYSTEM_PACKAGES += $(BROWSER_PACKAGES) jq
test: system axe server-library lint build examples benchmarks
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TESTS_AT_ONCE) SWIFT_BACKTRACE=enable=no \
	$(SWIFT) test --quiet --skip-build --disable-xctest --skip HostileRequestTests
	SWIFT_BACKTRACE=enable=no $(SWIFT) test --quiet --skip-build --disable-xctest --filter HostileRequestTests
	$(BROWSER_TESTS)
	$(DOCUMENTATION_TESTS)
	$(SERVER_LIBRARY_TESTS)

# Debian's own Python, which has its Selenium. The pictures they take are in .build/screenshots.
BROWSER_TESTS = rm -rf .build/screenshots && /usr/bin/python3 -W ignore::ResourceWarning Tests/BrowserTests/run.py

# They run the commands of README.md, testing.md, server-walk.md and apple-hosts.md.
DOCUMENTATION_TESTS = /usr/bin/python3 -W ignore::ResourceWarning -m unittest discover --start-directory Tests/DocumentationTests

# axe finds errors of accessibility. It is a JavaScript library, which PyPI has as a Python package.
axe: system
	test -d .build/axe || (/usr/bin/python3 -m venv .build/axe.new && \
	  .build/axe.new/bin/python -m pip install --quiet --disable-pip-version-check axe-core-python==0.1.0 && \
	  mv .build/axe.new .build/axe)

# Apple's App Store Server Library for Python, from PyPI, with its online checks.
SERVER_LIBRARY_TESTS = .build/server-library/bin/python -W ignore::ResourceWarning -m unittest discover --start-directory Tests/ServerLibraryTests

server-library: SYSTEM_PACKAGES += python3-venv
server-library: system
	test -d .build/server-library || (/usr/bin/python3 -m venv .build/server-library.new && \
	  .build/server-library.new/bin/python -m pip install --quiet --disable-pip-version-check app-store-server-library==3.1.2 && \
	  mv .build/server-library.new .build/server-library)

server-library-tests: server-library
	$(SWIFT) build $(PROGRAM_OPTIONS) --product openstorekit
	$(SERVER_LIBRARY_TESTS)

browser-tests: SYSTEM_PACKAGES += $(BROWSER_PACKAGES)
browser-tests: system axe
	$(SWIFT) build $(PROGRAM_OPTIONS) --product openstorekit
	$(BROWSER_TESTS)

documentation-tests: SYSTEM_PACKAGES += jq
documentation-tests: system server-library
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
# How long each server is sent random hostile requests.
HOSTILE_SECONDS ?= 3600
# The number of stored rows with which every endpoint of both servers is measured.
STORED_ROWS ?= 100000
prove: system build
	COMMIT_POINT_KILLS=$(KILLS) COMMIT_POINT_SEED=$${SEED:-$$(date +%s)} SWIFT_BACKTRACE=enable=no \
	STORED_ROWS=$(STORED_ROWS) HOSTILE_SECONDS=$(HOSTILE_SECONDS) HOSTILE_SEED=$${SEED:-$$(date +%s)} \
	$(SWIFT) test --quiet --skip-build --disable-xctest --filter 'AtRandom|StoredRows'
	$(UPGRADE_TEST)

# The version before, of the repository's history, beside this one on one PostgreSQL. Another release becomes the version before
# here when it ships.
VERSION_BEFORE = 4ab69b6
UPGRADE_TEST = rm -rf .build/before/source && git worktree prune && \
  git worktree add --detach .build/before/source $(VERSION_BEFORE) && \
  $(SWIFT) build --package-path .build/before/source --scratch-path .build/before/build --product openstorekit && \
  PROGRAM_BEFORE=$$PWD/.build/before/build/debug/openstorekit \
  /usr/bin/python3 -W ignore::ResourceWarning -m unittest discover --start-directory Tests/UpgradeTests
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
