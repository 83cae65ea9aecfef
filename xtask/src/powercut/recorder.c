// A preloaded library that records what a program does to the files of one folder: every change, in one order
// over all processes, with contents. It calls the kernel itself, so that nothing is recorded twice.
//
// RECORD_FOLDER names the folder (absolute), RECORD_LOG the log. A log entry is a head and then two paths and the
// bytes; xtask/src/powercut/log.rs reads it.
#define _GNU_SOURCE
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
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static size_t folder_length;
static int log_fd = -1, lock_fd = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  const char *wanted = getenv("RECORD_FOLDER"), *path = getenv("RECORD_LOG");
  char lock_path[PATH_MAX];
  if (!wanted || !path || strlen(wanted) >= sizeof folder) return;
  strcpy(folder, wanted);
  folder_length = strlen(folder);
  snprintf(lock_path, sizeof lock_path, "%s.lock", path);
  lock_fd = syscall(SYS_openat, AT_FDCWD, lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  log_fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
}

// One change at a time, over all threads and processes.
static void lock(void) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  pthread_mutex_lock(&mutex);
  while (syscall(SYS_fcntl, lock_fd, F_SETLKW, &whole) < 0 && errno == EINTR) {}
}

static void unlock(int error) {
  struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  syscall(SYS_fcntl, lock_fd, F_SETLK, &whole);
  pthread_mutex_unlock(&mutex);
  errno = error;
}

struct __attribute__((packed)) head {
  uint8_t kind;
  uint64_t inode, offset, length;
  uint32_t path, other, bytes;
};

static void note(char kind, uint64_t inode, uint64_t offset, uint64_t length, const char *path, const char *other,
                 const void *bytes, size_t count) {
  struct head head = {kind, inode, offset, length, path ? strlen(path) : 0, other ? strlen(other) : 0, count};
  struct iovec parts[] = {
      {&head, sizeof head}, {(void *)path, head.path}, {(void *)other, head.other}, {(void *)bytes, count}};
  size_t all = sizeof head + head.path + head.other + count;
  if (syscall(SYS_writev, log_fd, parts, 4) != (long)all) {
    static const char message[] = "the recorder of a power cut cannot write its log\n";
    syscall(SYS_write, 2, message, sizeof message - 1);
    _exit(70);
  }
}

static int inside(const char *path) {
  return log_fd >= 0 && !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
}

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

static void whole_path(int dir, const char *path, char *whole) {
  char base[PATH_MAX] = "";
  if (path[0] == '/') {
    snprintf(whole, PATH_MAX, "%s", path);
    return;
  }
  if (dir == AT_FDCWD ? !getcwd(base, sizeof base) : !path_of(dir, base)) base[0] = 0;
  if (strlen(base) + strlen(path) + 2 > PATH_MAX) base[0] = 0;
  memcpy(whole, base, strlen(base));
  snprintf(whole + strlen(base), PATH_MAX - strlen(base), "/%s", path);
}

static int is_watched(int fd, struct stat *status) {
  char path[PATH_MAX];
  if (log_fd < 0 || fd <= 2 || fstat(fd, status) || !S_ISREG(status->st_mode)) return 0;
  return path_of(fd, path) && inside(path);
}

static int open_any(int dir, const char *path, int flags, mode_t mode) {
  char whole[PATH_MAX];
  struct stat status;
  whole_path(dir, path, whole);
  int changes = flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR);
  if (!inside(whole) || !changes || flags & O_DIRECTORY) return syscall(SYS_openat, dir, path, flags, mode);
  lock();
  int existed = !lstat(whole, &status);
  int fd = syscall(SYS_openat, dir, path, flags, mode), error = errno;
  if (fd >= 0 && !fstat(fd, &status)) {
    if (!existed) note('C', status.st_ino, 0, 0, whole, 0, 0, 0);
    else if (flags & O_TRUNC) note('T', status.st_ino, 0, 0, whole, 0, 0, 0);
  }
  unlock(error);
  return fd;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
int open(const char *path, int flags, ...) { MODE(flags) return open_any(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_any(AT_FDCWD, path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { MODE(flags) return open_any(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { MODE(flags) return open_any(dir, path, flags, mode); }
int creat(const char *path, mode_t mode) { return open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

ssize_t write(int fd, const void *bytes, size_t count) {
  struct stat status;
  if (!is_watched(fd, &status)) return syscall(SYS_write, fd, bytes, count);
  lock();
  fstat(fd, &status);
  off_t at = fcntl(fd, F_GETFL) & O_APPEND ? status.st_size : lseek(fd, 0, SEEK_CUR);
  ssize_t written = syscall(SYS_write, fd, bytes, count);
  int error = errno;
  if (written > 0) note('W', status.st_ino, at, written, 0, 0, bytes, written);
  unlock(error);
  return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at) {
  struct stat status;
  if (!is_watched(fd, &status)) return syscall(SYS_pwrite64, fd, bytes, count, at);
  lock();
  ssize_t written = syscall(SYS_pwrite64, fd, bytes, count, at);
  int error = errno;
  if (written > 0) note('W', status.st_ino, at, written, 0, 0, bytes, written);
  unlock(error);
  return written;
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  struct stat status;
  if (!is_watched(fd, &status)) return syscall(SYS_writev, fd, parts, count);
  // A short write is allowed: the first part that is not empty.
  for (int i = 0; i < count; i++)
    if (parts[i].iov_len) return write(fd, parts[i].iov_base, parts[i].iov_len);
  return 0;
}

static int sync_any(int fd, long call) {
  struct stat status;
  char path[PATH_MAX];
  if (log_fd < 0 || fstat(fd, &status) || !path_of(fd, path) || !inside(path)) return syscall(call, fd);
  lock();
  int result = syscall(call, fd), error = errno;
  if (!result) note(S_ISDIR(status.st_mode) ? 'D' : 'F', status.st_ino, 0, 0, path, 0, 0, 0);
  unlock(error);
  return result;
}
int fsync(int fd) { return sync_any(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_any(fd, SYS_fdatasync); }

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
  char old[PATH_MAX], new[PATH_MAX];
  whole_path(from_dir, from, old);
  whole_path(to_dir, to, new);
  if (!inside(new)) return syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
  lock();
  int result = syscall(SYS_linkat, from_dir, from, to_dir, to, flags), error = errno;
  if (!result) note('L', 0, 0, 0, old, new, 0, 0);
  unlock(error);
  return result;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
  char old[PATH_MAX], new[PATH_MAX];
  whole_path(from_dir, from, old);
  whole_path(to_dir, to, new);
  if (!inside(new) && !inside(old)) return syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
  lock();
  int result = syscall(SYS_renameat2, from_dir, from, to_dir, to, flags), error = errno;
  if (!result) note('R', 0, 0, 0, old, new, 0, 0);
  unlock(error);
  return result;
}
int renameat(int from_dir, const char *from, int to_dir, const char *to) {
  return renameat2(from_dir, from, to_dir, to, 0);
}
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int dir, const char *path, int flags) {
  char whole[PATH_MAX];
  whole_path(dir, path, whole);
  if (!inside(whole)) return syscall(SYS_unlinkat, dir, path, flags);
  lock();
  int result = syscall(SYS_unlinkat, dir, path, flags), error = errno;
  if (!result) note('U', 0, 0, 0, whole, 0, 0, 0);
  unlock(error);
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int dir, const char *path, mode_t mode) {
  char whole[PATH_MAX];
  whole_path(dir, path, whole);
  if (!inside(whole)) return syscall(SYS_mkdirat, dir, path, mode);
  lock();
  int result = syscall(SYS_mkdirat, dir, path, mode), error = errno;
  if (!result) note('M', 0, 0, 0, whole, 0, 0, 0);
  unlock(error);
  return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int ftruncate64(int fd, off_t length) {
  struct stat status;
  if (!is_watched(fd, &status)) return syscall(SYS_ftruncate, fd, length);
  lock();
  int result = syscall(SYS_ftruncate, fd, length), error = errno;
  if (!result) note('T', status.st_ino, 0, length, 0, 0, 0, 0);
  unlock(error);
  return result;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

// Copies within the kernel cannot be recorded; callers fall back to reading and writing.
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t count, unsigned flags) {
  struct stat status;
  if (is_watched(to, &status)) { errno = ENOSYS; return -1; }
  return syscall(SYS_copy_file_range, from, from_at, to, to_at, count, flags);
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t count) {
  struct stat status;
  if (is_watched(to, &status)) { errno = EINVAL; return -1; }
  return syscall(SYS_sendfile, to, from, at, count);
}
