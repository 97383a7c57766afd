#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A program that does to files exactly what it is told, so that the library that watches it can be tested.
//
//   write FILE OFFSET TEXT   cut FILE LENGTH   sync FILE|FOLDER   rename FROM TO   unlink FILE   folder FOLDER
//   read FILE                says its content, or that there is none
//   behind FILE TEXT         writes by a way that is not watched
//   input                    waits for a line of standard input
//   say TEXT

static void need(int holds, const char *what) {
  if (holds) return;
  perror(what);
  exit(1);
}

// Not through stdio, whose calls to the kernel cannot be watched.
static void say(const char *text) { need(write(1, text, strlen(text)) >= 0 && write(1, "\n", 1) == 1, "say"); }

static int file(const char *path, int flags) {
  int descriptor = open(path, flags | O_CLOEXEC, 0600);
  need(descriptor >= 0, path);
  return descriptor;
}

int main(int count, char **words) {
  for (int next = 1; next < count;) {
    const char *order = words[next];
    char **with = words + next + 1;
    if (strcmp(order, "write") == 0) {
      int descriptor = file(with[0], O_RDWR | O_CREAT);
      size_t length = strlen(with[2]);
      need(pwrite(descriptor, with[2], length, atol(with[1])) == (ssize_t)length, "write");
      close(descriptor);
      next += 4;
    } else if (strcmp(order, "cut") == 0) {
      int descriptor = file(with[0], O_RDWR);
      need(ftruncate(descriptor, atol(with[1])) == 0, "cut");
      close(descriptor);
      next += 3;
    } else if (strcmp(order, "sync") == 0) {
      int descriptor = file(with[0], O_RDONLY);
      need(fsync(descriptor) == 0, "sync");
      close(descriptor);
      next += 2;
    } else if (strcmp(order, "rename") == 0) {
      need(rename(with[0], with[1]) == 0, "rename");
      next += 3;
    } else if (strcmp(order, "unlink") == 0) {
      need(unlink(with[0]) == 0, "unlink");
      next += 2;
    } else if (strcmp(order, "folder") == 0) {
      need(mkdir(with[0], 0700) == 0, "folder");
      next += 2;
    } else if (strcmp(order, "read") == 0) {
      char text[1000];
      int descriptor = open(with[0], O_RDONLY | O_CLOEXEC);
      ssize_t length = descriptor < 0 ? -1 : read(descriptor, text, sizeof text);
      char line[2000];
      if (length < 0) snprintf(line, sizeof line, "no %s", with[0]);
      else snprintf(line, sizeof line, "%s: %.*s", with[0], (int)length, text);
      say(line);
      next += 2;
    } else if (strcmp(order, "behind") == 0) {
      // stdio calls the kernel from inside of libc.
      FILE *stream = fopen(with[0], "w");
      need(stream != NULL && fputs(with[1], stream) >= 0 && fclose(stream) == 0, "behind");
      next += 3;
    } else if (strcmp(order, "say") == 0) {
      say(with[0]);
      next += 2;
    } else if (strcmp(order, "input") == 0) {
      char line[100];
      if (fgets(line, sizeof line, stdin) == NULL) return 0;
      next += 1;
    } else {
      fprintf(stderr, "What is %s?\n", order);
      return 2;
    }
  }
  return 0;
}
