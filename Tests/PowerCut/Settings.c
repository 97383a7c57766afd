#include "PowerCut.h"
#include "Watch.h"

#if defined(__linux__)

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <time.h>

enum loss { LOSES_NOTHING, LOSES_EVERYTHING, LOSES_CONTENTS, LOSES_SOME };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum loss loss = LOSES_NOTHING;
static uint64_t random_state;
static unsigned long cut_point, cut_call, drop_point;
static bool cuts_before;
static long delay_nanoseconds;
static unsigned long points, calls;
static bool drops_next_response;
static int trace_descriptor = -1;
static const char *trace_path;

bool powercut_is_on = false;

int powercut_can_watch(void) { return 1; }

void *powercut_real(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (function == NULL) abort();
  return function;
}

void powercut_enter(void) { pthread_mutex_lock(&lock); }
void powercut_leave(void) { pthread_mutex_unlock(&lock); }
const char *powercut_trace_path(void) { return trace_path; }

void powercut_trace(const char *format, ...) {
  char line[PATH_MAX + 100];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (length < 0 || trace_descriptor < 0) return;
  if ((size_t)length > sizeof line - 2) length = sizeof line - 2;
  line[length] = '\n';
  if (REAL(write)(trace_descriptor, line, (size_t)length + 1) < 0) abort();
}

// splitmix64
uint64_t powercut_random(void) {
  uint64_t value = (random_state += 0x9e3779b97f4a7c15u);
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// Ends the process. Never returns or releases the lock, so no other thread can send anything any more.
static void cut(void) {
  powercut_files_check();
  if (loss == LOSES_NOTHING) {
    powercut_save_unsynced();
  } else {
    powercut_files_lose(loss == LOSES_SOME);
    if (loss != LOSES_CONTENTS) powercut_names_lose(loss == LOSES_SOME);
  }
  powercut_trace("cut at point %lu, call %lu", points, calls);
  kill(getpid(), SIGKILL);
  while (true) pause();
}

static void *cut_later(void *unused) {
  (void)unused;
  struct timespec delay = {delay_nanoseconds / 1000000000, delay_nanoseconds % 1000000000};
  while (nanosleep(&delay, &delay) != 0) {
  }
  powercut_enter();
  cut();
  return NULL;
}

void powercut_count_call(void) {
  if (++calls != cut_call) return;
  pthread_t thread;
  if (delay_nanoseconds == 0 || pthread_create(&thread, NULL, cut_later, NULL) != 0) cut();
}

void powercut_point_begins(const char *kind, const char *path) {
  points++;
  powercut_trace("point %lu %lu %s %s", points, calls, kind, powercut_short(path));
  if (points == cut_point && cuts_before) cut();
  powercut_count_call();
}

void powercut_point_ends(void) {
  if (points == cut_point && !cuts_before) cut();
  if (points == drop_point) drops_next_response = true;
}

bool powercut_must_drop_response(void) {
  if (!drops_next_response) return false;
  drops_next_response = false;
  drop_point = 0;
  powercut_trace("dropped");
  return true;
}

// A signal handler may call only few functions, so a thread does the work.
static sem_t cut_requested;

static void request_cut(int unused) {
  (void)unused;
  sem_post(&cut_requested);
}

static void *cut_when_requested(void *unused) {
  (void)unused;
  while (sem_wait(&cut_requested) != 0) {
  }
  powercut_enter();
  cut();
  return NULL;
}

static void listen_to_signal(void) {
  sem_init(&cut_requested, 0, 0);
  struct sigaction action = {.sa_handler = request_cut, .sa_flags = SA_RESTART};
  pthread_t thread;
  if (sigaction(SIGUSR2, &action, NULL) != 0 || pthread_create(&thread, NULL, cut_when_requested, NULL) != 0) abort();
}

static unsigned long number(const char *name) {
  const char *text = getenv(name);
  return text == NULL ? 0 : strtoul(text, NULL, 10);
}

static void read_loss(const char *text) {
  if (text == NULL || strcmp(text, "nothing") == 0) loss = LOSES_NOTHING;
  else if (strcmp(text, "everything") == 0) loss = LOSES_EVERYTHING;
  else if (strcmp(text, "contents") == 0) loss = LOSES_CONTENTS;
  else if (strncmp(text, "some:", 5) == 0) {
    loss = LOSES_SOME;
    random_state = strtoull(text + 5, NULL, 10);
  } else abort();
}

__attribute__((constructor)) static void read_settings(void) {
  const char *folder = getenv("POWERCUT_FOLDER");
  trace_path = getenv("POWERCUT_TRACE");
  if (folder == NULL || trace_path == NULL) return;
  trace_path = strdup(trace_path);
  trace_descriptor = REAL(open)(trace_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (trace_descriptor < 0) abort();
  powercut_set_folder(folder);
  read_loss(getenv("POWERCUT_LOSES"));
  cut_point = number("POWERCUT_POINT");
  const char *side = getenv("POWERCUT_SIDE");
  cuts_before = side != NULL && strcmp(side, "before") == 0;
  cut_call = number("POWERCUT_CALL");
  delay_nanoseconds = (long)number("POWERCUT_DELAY_NANOSECONDS");
  drop_point = number("POWERCUT_DROPS_RESPONSE_AFTER");
  powercut_load_unsynced(getenv("POWERCUT_UNSYNCED"));
  // Child processes are not watched.
  unsetenv("LD_PRELOAD");
  listen_to_signal();
  powercut_is_on = true;
}

#else

int powercut_can_watch(void) { return 0; }

#endif
