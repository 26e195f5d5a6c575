/*
 * Records file operations of a program below one folder in the order in which they complete: writes, creations, renames,
 * removals and syncs. It is loaded before the C library:
 *
 *     LD_PRELOAD=record.so POWER_ROOT=/folder POWER_LOG=/elsewhere/log program
 *
 * A record is a header of five numbers (total length, kind, offset, lengths of the two names), the names, and the written
 * bytes. Each record is one write to a file opened for appending, so records of several processes do not mix.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, CREATE, TRUNCATE, RENAME, UNLINK, LINK, MKDIR, RMDIR, SYNC_BEGUN, SYNC_ENDED, TOLD, WRITTEN_OUT };

static const char *root;
static size_t root_length;
static int log_file = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void begin(void) {
  const char *path = getenv("POWER_LOG");
  root = getenv("POWER_ROOT");
  if (!path || !root) return;
  root_length = strlen(root);
  log_file = REAL(open)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int is_below(const char *path) {
  return log_file >= 0 && !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

static void note(int kind, int64_t place, const char *first, const char *second, const void *bytes, size_t count) {
  struct { int64_t whole, kind, place, first, second; } head;
  size_t one = strlen(first), two = strlen(second);
  head.whole = (int64_t)(sizeof head + one + two + count);
  head.kind = kind;
  head.place = place;
  head.first = (int64_t)one;
  head.second = (int64_t)two;
  struct iovec parts[] = {
    {&head, sizeof head}, {(void *)first, one}, {(void *)second, two}, {(void *)bytes, count},
  };
  int kept = errno;
  static ssize_t (*real)(int, const struct iovec *, int);
  if (!real) real = REAL(writev);
  if (real(log_file, parts, 4) != head.whole) abort();
  errno = kept;
}

/* The path of a descriptor, or nothing when it lies elsewhere. */
static int path_of(int descriptor, char *path) {
  pthread_once(&once, begin);
  if (log_file < 0 || descriptor == log_file) return 0;
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  int kept = errno;
  ssize_t length = readlink(name, path, PATH_MAX - 1);
  errno = kept;
  if (length < 0) return 0;
  path[length] = 0;
  return is_below(path);
}

/* The full path of a name, whatever it begins at. */
static int full(int folder, const char *name, char *path) {
  pthread_once(&once, begin);
  if (log_file < 0 || !name) return 0;
  char joined[2 * PATH_MAX];
  if (name[0] == '/') snprintf(joined, sizeof joined, "%s", name);
  else {
    char base[PATH_MAX];
    if (folder == AT_FDCWD) { if (!getcwd(base, sizeof base)) return 0; }
    else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      ssize_t length = readlink(link, base, sizeof base - 1);
      if (length < 0) return 0;
      base[length] = 0;
    }
    snprintf(joined, sizeof joined, "%s/%s", base, name);
  }
  /* Takes out what means nothing: `.`, `..` and double slashes. */
  size_t end = 0;
  for (char *part = strtok(joined, "/"); part; part = strtok(NULL, "/")) {
    if (!strcmp(part, ".")) continue;
    if (!strcmp(part, "..")) { while (end && path[--end] != '/'); path[end] = 0; continue; }
    end += (size_t)snprintf(path + end, PATH_MAX - end, "/%s", part);
  }
  path[end] = 0;
  return is_below(path);
}

static int opened(int folder, const char *name, int flags, mode_t mode, int descriptor, int was_there) {
  char path[PATH_MAX];
  if (descriptor < 0 || !(flags & (O_CREAT | O_TRUNC)) || !full(folder, name, path)) return descriptor;
  if (!was_there) note(CREATE, mode, path, "", "", 0);
  else if (flags & O_TRUNC) note(TRUNCATE, 0, path, "", "", 0);
  return descriptor;
}

static int is_there(int folder, const char *name) {
  int kept = errno;
  struct stat found;
  int result = !fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW);
  errno = kept;
  return result;
}

#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
#define OPEN(name) int name(const char *path, int flags, ...) { MODE int there = is_there(AT_FDCWD, path); return opened(AT_FDCWD, path, flags, mode, REAL(name)(path, flags, mode), there); }
#define OPENAT(name) int name(int folder, const char *path, int flags, ...) { MODE int there = is_there(folder, path); return opened(folder, path, flags, mode, REAL(name)(folder, path, flags, mode), there); }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64)

static void wrote(int descriptor, int64_t place, const void *bytes, ssize_t count) {
  char path[PATH_MAX];
  if (count > 0 && path_of(descriptor, path)) note(WRITE, place, path, "", bytes, (size_t)count);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  ssize_t done = REAL(write)(descriptor, bytes, count);
  if (done > 0) {
    int kept = errno;
    off_t place = lseek(descriptor, 0, SEEK_CUR);
    errno = kept;
    if (place >= 0) wrote(descriptor, place - done, bytes, done);
  }
  return done;
}
#define PWRITE(name, type) ssize_t name(int descriptor, const void *bytes, size_t count, type place) { ssize_t done = REAL(name)(descriptor, bytes, count, place); wrote(descriptor, place, bytes, done); return done; }
PWRITE(pwrite, off_t) PWRITE(pwrite64, off64_t)

static void wrote_parts(int descriptor, const struct iovec *parts, int count, int64_t place, ssize_t done) {
  for (int index = 0; index < count && done > 0; index++) {
    ssize_t part = (ssize_t)parts[index].iov_len < done ? (ssize_t)parts[index].iov_len : done;
    wrote(descriptor, place, parts[index].iov_base, part);
    place += part;
    done -= part;
  }
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  ssize_t done = REAL(writev)(descriptor, parts, count);
  if (done > 0) {
    int kept = errno;
    off_t place = lseek(descriptor, 0, SEEK_CUR);
    errno = kept;
    if (place >= 0) wrote_parts(descriptor, parts, count, place - done, done);
  }
  return done;
}
#define PWRITEV(name, type) ssize_t name(int descriptor, const struct iovec *parts, int count, type place) { ssize_t done = REAL(name)(descriptor, parts, count, place); wrote_parts(descriptor, parts, count, place, done); return done; }
PWRITEV(pwritev, off_t) PWRITEV(pwritev64, off64_t)

#define TRUNCATES(name, type) int name(int descriptor, type length) { int result = REAL(name)(descriptor, length); char path[PATH_MAX]; if (!result && path_of(descriptor, path)) note(TRUNCATE, length, path, "", "", 0); return result; }
TRUNCATES(ftruncate, off_t) TRUNCATES(ftruncate64, off64_t)

/* Small files of git are written by the C library itself, past `write`: what they hold is noted when they are synced. */
static void whole(int descriptor, const char *path) {
  static char bytes[1 << 16];
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  struct stat found;
  if (!strstr(path, ".git") || fstat(descriptor, &found) || !S_ISREG(found.st_mode) || found.st_size > (off_t)sizeof bytes) return;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  int file = REAL(open)(link, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  pthread_mutex_lock(&turn);
  ssize_t count = pread(file, bytes, sizeof bytes, 0);
  if (count > 0) note(WRITE, 0, path, "", bytes, (size_t)count);
  pthread_mutex_unlock(&turn);
  close(file);
}

#define SYNCS(name) int name(int descriptor) { char path[PATH_MAX]; int below = path_of(descriptor, path); if (below) { whole(descriptor, path); note(SYNC_BEGUN, 0, path, "", "", 0); } int result = REAL(name)(descriptor); if (below && !result) note(SYNC_ENDED, 0, path, "", "", 0); return result; }
SYNCS(fsync) SYNCS(fdatasync)

/* Bytes on their way to the disk, which lasts as soon as anything is synced afterwards. */
int sync_file_range(int descriptor, off64_t from, off64_t count, unsigned flags) {
  int result = REAL(sync_file_range)(descriptor, from, count, flags);
  char path[PATH_MAX];
  if (!result && path_of(descriptor, path)) { whole(descriptor, path); note(WRITTEN_OUT, 0, path, "", "", 0); }
  return result;
}

static int two(int kind, int from_folder, const char *from, int to_folder, const char *to, int result) {
  char first[PATH_MAX], second[PATH_MAX];
  int below = full(from_folder, from, first);
  if (full(to_folder, to, second) && below && !result) note(kind, 0, first, second, "", 0);
  return result;
}
int rename(const char *from, const char *to) { return two(RENAME, AT_FDCWD, from, AT_FDCWD, to, REAL(rename)(from, to)); }
int renameat(int a, const char *from, int b, const char *to) { return two(RENAME, a, from, b, to, REAL(renameat)(a, from, b, to)); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return two(RENAME, a, from, b, to, REAL(renameat2)(a, from, b, to, flags)); }
int link(const char *from, const char *to) { return two(LINK, AT_FDCWD, from, AT_FDCWD, to, REAL(link)(from, to)); }
int linkat(int a, const char *from, int b, const char *to, int flags) { return two(LINK, a, from, b, to, REAL(linkat)(a, from, b, to, flags)); }

static int one(int kind, int64_t place, int folder, const char *name, int result) {
  char path[PATH_MAX];
  if (!result && full(folder, name, path)) note(kind, place, path, "", "", 0);
  return result;
}
int unlink(const char *path) { return one(UNLINK, 0, AT_FDCWD, path, REAL(unlink)(path)); }
int unlinkat(int folder, const char *path, int flags) { return one(flags & AT_REMOVEDIR ? RMDIR : UNLINK, 0, folder, path, REAL(unlinkat)(folder, path, flags)); }
int remove(const char *path) { return one(UNLINK, 0, AT_FDCWD, path, REAL(remove)(path)); }
int rmdir(const char *path) { return one(RMDIR, 0, AT_FDCWD, path, REAL(rmdir)(path)); }
int mkdir(const char *path, mode_t mode) { return one(MKDIR, mode, AT_FDCWD, path, REAL(mkdir)(path, mode)); }
int mkdirat(int folder, const char *path, mode_t mode) { return one(MKDIR, mode, folder, path, REAL(mkdirat)(folder, path, mode)); }
char *mkdtemp(char *template) {
  char *made = REAL(mkdtemp)(template);
  if (made) one(MKDIR, 0700, AT_FDCWD, made, 0);
  return made;
}
#define TEMPS(name, ...) { int descriptor = REAL(name)(__VA_ARGS__); return opened(AT_FDCWD, template, O_CREAT, 0600, descriptor, 0); }
int mkstemp(char *template) TEMPS(mkstemp, template)
int mkstemp64(char *template) TEMPS(mkstemp64, template)
int mkostemp(char *template, int flags) TEMPS(mkostemp, template, flags)
