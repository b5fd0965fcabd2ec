/* Loaded into a program with LD_PRELOAD: what of its files would survive a power cut at this moment?
 *
 * kill -9 proves nothing about a disk, since the page cache survives it. So each fsync and fdatasync that has succeeded
 * adds a line to the file that FSYNC_RECORD names:
 *
 *     f <inode> <bytes> <path>     a file, and how long it was when the call began
 *     d <inode> 0 <path>           a folder: the names in it
 *     h <inode> 0 <path>           a file whose call is being held
 *
 * While the file that FSYNC_HOLD names is there, calls for files wait: a disk that takes its time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int (*sync_call)(int);

static void record(char kind, int fd, ino_t inode, off_t bytes)
{
    const char *name = getenv("FSYNC_RECORD");
    char link[64], path[1024], line[1200];
    if (name == NULL) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    int count = snprintf(line, sizeof line, "%c %llu %lld %s\n", kind, (unsigned long long)inode, (long long)bytes, path);
    int file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || count < 0) abort();
    /* One write of a short line: appended whole, whoever else writes. */
    if (write(file, line, (size_t)count) != count) abort();
    close(file);
}

static int recorded(const char *symbol, int fd)
{
    sync_call call = (sync_call)dlsym(RTLD_NEXT, symbol);
    const char *hold = getenv("FSYNC_HOLD");
    struct stat status;
    int known = fstat(fd, &status) == 0;
    int is_file = known && S_ISREG(status.st_mode);
    if (is_file && hold != NULL && access(hold, F_OK) == 0) {
        record('h', fd, status.st_ino, 0);
        /* Five minutes at least: longer than any test waits. */
        for (int looks = 0; access(hold, F_OK) == 0; looks++) {
            if (looks == 300000) abort();
            usleep(1000);
        }
    }
    int result = call(fd);
    int code = errno;
    if (result == 0 && is_file) record('f', fd, status.st_ino, status.st_size);
    if (result == 0 && known && S_ISDIR(status.st_mode)) record('d', fd, status.st_ino, 0);
    errno = code;
    return result;
}

int fsync(int fd) { return recorded("fsync", fd); }
int fdatasync(int fd) { return recorded("fdatasync", fd); }
