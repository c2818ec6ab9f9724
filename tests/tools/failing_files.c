// A library for LD_PRELOAD that makes a call of ireescope which changes files fail, or kills ireescope there. Tools that
// ireescope runs are left alone.
//
//   FAIL_UNDER=FOLDER  only calls on files below this folder count
//   FAIL_AT=N          the first call that fails; without it, none does
//   FAIL_WITH=ERRNO    the error, or 0 to kill the program instead
//   FAIL_ON=1          all later calls that need space fail, too, as on a full disk
//   FAIL_COUNT=FILE    where the number of calls is written when the program ends
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

// Whether this call on a path is to fail.
static int fails(const char *path, int needs_space) {
  const char *under = getenv("FAIL_UNDER"), *at = getenv("FAIL_AT"), *with = getenv("FAIL_WITH");
  if (!under || !path || strcmp(program_invocation_short_name, "ireescope") != 0 || strncmp(path, under, strlen(under)) != 0) return 0;
  long call = atomic_fetch_add(&calls, 1) + 1, wanted = at ? atol(at) : LONG_MAX;
  if (call != wanted && !(call > wanted && needs_space && getenv("FAIL_ON"))) return 0;
  int error = with ? atoi(with) : EIO;
  if (error == 0) raise(SIGKILL);
  errno = error;
  return 1;
}

static int fails_at(int folder, const char *path, int needs_space) {
  char whole[PATH_MAX], link[64];
  if (path[0] == '/' || folder == AT_FDCWD) {
    if (path[0] == '/') return fails(path, needs_space);
    if (!getcwd(whole, sizeof whole)) return 0;
  } else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, whole, sizeof whole - 1);
    if (length < 0) return 0;
    whole[length] = 0;
  }
  strncat(whole, "/", sizeof whole - strlen(whole) - 1);
  strncat(whole, path, sizeof whole - strlen(whole) - 1);
  return fails(whole, needs_space);
}

static int fails_on(int file) { return fails_at(file, "", 1); }

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CREATES(flags) ((flags) & (O_CREAT | O_WRONLY | O_RDWR))

#define OPEN(name)                                                                                  \
  int name(const char *path, int flags, ...) {                                                      \
    va_list rest;                                                                                   \
    va_start(rest, flags);                                                                          \
    mode_t mode = va_arg(rest, mode_t);                                                             \
    va_end(rest);                                                                                   \
    return CREATES(flags) && fails_at(AT_FDCWD, path, 1) ? -1 : NEXT(name)(path, flags, mode);      \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                \
  int name(int folder, const char *path, int flags, ...) {                                          \
    va_list rest;                                                                                   \
    va_start(rest, flags);                                                                          \
    mode_t mode = va_arg(rest, mode_t);                                                             \
    va_end(rest);                                                                                   \
    return CREATES(flags) && fails_at(folder, path, 1) ? -1 : NEXT(name)(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

// Half of what is written before a failure is in the file, as on a disk that fills.
ssize_t write(int file, const void *bytes, size_t size) {
  if (!fails_on(file)) return NEXT(write)(file, bytes, size);
  int error = errno;
  NEXT(write)(file, bytes, size / 2);
  errno = error;
  return -1;
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  return fails_on(file) ? -1 : NEXT(writev)(file, parts, count);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
  return fails_on(file) ? -1 : NEXT(pwrite64)(file, bytes, size, at);
}
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) {
  return fails_on(out) ? -1 : NEXT(copy_file_range)(in, from, out, to, size, flags);
}
int ftruncate64(int file, off64_t size) { return fails_on(file) ? -1 : NEXT(ftruncate64)(file, size); }
int mkdir(const char *path, mode_t mode) {
  return fails_at(AT_FDCWD, path, 1) ? -1 : NEXT(mkdir)(path, mode);
}
int link(const char *from, const char *to) { return fails_at(AT_FDCWD, to, 1) ? -1 : NEXT(link)(from, to); }
int linkat(int from, const char *old, int to, const char *new, int flags) {
  return fails_at(to, new, 1) ? -1 : NEXT(linkat)(from, old, to, new, flags);
}
int rename(const char *from, const char *to) {
  return fails_at(AT_FDCWD, to, 0) ? -1 : NEXT(rename)(from, to);
}
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  return fails_at(to, new, 0) ? -1 : NEXT(renameat2)(from, old, to, new, flags);
}
int chmod(const char *path, mode_t mode) { return fails_at(AT_FDCWD, path, 0) ? -1 : NEXT(chmod)(path, mode); }
int unlink(const char *path) { return fails_at(AT_FDCWD, path, 0) ? -1 : NEXT(unlink)(path); }

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("FAIL_COUNT");
  if (!path || strcmp(program_invocation_short_name, "ireescope") != 0) return;
  long counted = atomic_load(&calls);
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%ld\n", counted);
  fclose(file);
}
