/* Stands between a process and its disk: it counts, logs, strikes and fails what the process writes in one folder.

   LD_PRELOAD it, then arm it by `shim_arm`. It acts at the `at`-th call that writes, syncs, truncates, makes, names or
   removes something in the folder, and, if so told, at all from there on. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum how { LOG, KILL, KILL_TORN, FAIL, SHORT, FAIL_TORN };

static char folder[PATH_MAX], kinds[32];
static long at, span, calls;
static int armed, how, number, logged = -1;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* `only` names the kinds of call that are failed: w(rite), s(ync), t(runcate), c(reate), m(kdir), n(ame), u(nlink). */
void shim_arm(const char *in, long first, long many, int what, int error, const char *only, int log) {
  snprintf(folder, sizeof folder, "%s", in);
  snprintf(kinds, sizeof kinds, "%s", only);
  at = first, span = many, how = what, number = error, logged = log, calls = 0, armed = 1;
}

static int ours(const char *path) {
  size_t length = strlen(path), own = strlen(folder);
  return armed && !strncmp(path, folder, own) && strchr("/", path[own]) && !(length > 10 && !strcmp(path + length - 10, " (deleted)"));
}

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  return ours(path);
}

static int resolved(int dir, const char *path, char *whole) {
  if (path[0] == '/') snprintf(whole, PATH_MAX, "%s", path);
  else {
    char base[PATH_MAX], link[64];
    if (dir == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    ssize_t length = readlink(link, base, sizeof base - 1);
    base[length < 0 ? 0 : length] = 0;
    if (strlen(base) + strlen(path) + 2 > PATH_MAX) return 0;
    sprintf(whole, "%s/%s", base, path);
  }
  return ours(whole);
}

/* Count a call, and say what is to become of it. */
static enum how strike(char kind) {
  calls++;
  if (at <= 0 || calls < at || calls >= at + span || how == LOG) return LOG;
  int whole = kind == 'w';
  if (how == KILL || (how == KILL_TORN && !whole)) kill(getpid(), SIGKILL), pause();
  if (how == KILL_TORN) return KILL_TORN;
  if (!strchr(kinds, kind)) return LOG;
  if (how == SHORT) return whole ? SHORT : LOG;
  errno = number;
  return how == FAIL_TORN && whole ? FAIL_TORN : FAIL;
}

static void note(char kind, const char *path, const char *other, int64_t place, const void *data, uint64_t length) {
  if (logged < 0) return;
  int before = errno;
  uint64_t head[4] = {(uint64_t)kind, strlen(path), strlen(other), length};
  char record[sizeof head + sizeof place + 2 * PATH_MAX];
  memcpy(record, head, sizeof head);
  memcpy(record + sizeof head, &place, sizeof place);
  char *end = record + sizeof head + sizeof place;
  memcpy(end, path, head[1]), memcpy(end + head[1], other, head[2]);
  REAL(write)(logged, record, (size_t)(end - record) + head[1] + head[2]);
  if (length) REAL(write)(logged, data, length);
  errno = before;
}

#define WRITTEN(call, place, half)                                                  \
  char path[PATH_MAX];                                                              \
  if (!path_of(fd, path)) return call(length);                                      \
  off_t where = place;                                                              \
  enum how fate = strike('w');                                                      \
  if (fate == FAIL) return -1;                                                      \
  ssize_t done = call(fate == LOG ? length : half);                                 \
  if (done >= 0) note('w', path, "", where, data, (uint64_t)done);                  \
  if (fate == KILL_TORN) kill(getpid(), SIGKILL), pause();                          \
  if (fate == FAIL_TORN) { errno = number; return -1; }                             \
  return done;

ssize_t write(int fd, const void *data, size_t length) {
#define CALL(n) REAL(write)(fd, data, n)
  WRITTEN(CALL, lseek(fd, 0, SEEK_CUR), (length + 1) / 2)
#undef CALL
}

#define PWRITE(name, type)                                                          \
  ssize_t name(int fd, const void *data, size_t length, type place) {               \
    ssize_t (*real)(int, const void *, size_t, type) = REAL(name);                  \
    WRITTEN(CALL, place, (length + 1) / 2)                                          \
  }
#define CALL(n) real(fd, data, n, place)
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)
#undef CALL

#define ON_FD(name, kind, parameters, arguments, place)                             \
  int name parameters {                                                             \
    char path[PATH_MAX];                                                            \
    int mine = path_of(fd, path);                                                   \
    if (mine && strike(kind) == FAIL) return -1;                                    \
    int done = REAL(name) arguments;                                                \
    if (mine && !done) note(kind, path, "", place, "", 0);                          \
    return done;                                                                    \
  }
ON_FD(fsync, 's', (int fd), (fd), 0)
ON_FD(fdatasync, 's', (int fd), (fd), 0)
ON_FD(ftruncate, 't', (int fd, off_t size), (fd, size), size)
ON_FD(ftruncate64, 't', (int fd, off64_t size), (fd, size), size)

static int opened(int dir, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  struct stat there;
  int new = (flags & O_CREAT) && resolved(dir, name, path) && lstat(path, &there);
  if (new && strike('c') == FAIL) return -1;
  int fd = REAL(openat)(dir, name, flags, mode);
  if (new && fd >= 0) note('c', path, "", 0, "", 0);
  return fd;
}

#define MODE(last)                                                                  \
  va_list rest;                                                                     \
  va_start(rest, last);                                                             \
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;           \
  va_end(rest);
int open(const char *name, int flags, ...) { MODE(flags) return opened(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags) return opened(AT_FDCWD, name, flags | O_LARGEFILE, mode); }
int openat64(int dir, const char *name, int flags, ...) { MODE(flags) return opened(dir, name, flags, mode); }

#define ON_PATH(name, kind, parameters, arguments, dir, file, to, other)            \
  int name parameters {                                                             \
    char path[PATH_MAX], second[PATH_MAX] = "";                                     \
    int mine = resolved(dir, file, path);                                           \
    if (mine && other) resolved(to, other, second);                                 \
    if (mine && strike(kind) == FAIL) return -1;                                    \
    int done = REAL(name) arguments;                                                \
    if (mine && !done) note(kind == 'n' ? *#name : kind, path, second, 0, "", 0);   \
    return done;                                                                    \
  }
static const char *none;
ON_PATH(mkdir, 'm', (const char *name, mode_t mode), (name, mode), AT_FDCWD, name, 0, none)
ON_PATH(rename, 'n', (const char *name, const char *to), (name, to), AT_FDCWD, name, AT_FDCWD, to)
ON_PATH(link, 'n', (const char *name, const char *to), (name, to), AT_FDCWD, name, AT_FDCWD, to)
ON_PATH(linkat, 'n', (int dir, const char *name, int at_, const char *to, int flags), (dir, name, at_, to, flags), dir, name, at_, to)
ON_PATH(unlink, 'u', (const char *name), (name), AT_FDCWD, name, 0, none)
ON_PATH(unlinkat, 'u', (int dir, const char *name, int flags), (dir, name, flags), dir, name, 0, none)
ON_PATH(rmdir, 'u', (const char *name), (name), AT_FDCWD, name, 0, none)
