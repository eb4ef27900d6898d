/* What Debian's static HDF5 names beyond the C library, for hdf5.cmake.
 *
 * Functions of libcurl and OpenSSL, of which its driver for files on the network (ROS3) is made: it finds no network.
 * The streams of stdio under other names, because code that is compiled for programs cannot reach a shared library's.
 */
#include <stddef.h>
#include <stdio.h>

FILE* fdtd_h5_stderr;
FILE* fdtd_h5_stdin;
FILE* fdtd_h5_stdout;

__attribute__((constructor)) static void name_streams(void) {
  fdtd_h5_stderr = stderr;
  fdtd_h5_stdin = stdin;
  fdtd_h5_stdout = stdout;
}

enum { curl_failed_init = 2 };

int curl_global_init(long flags) {
  (void)flags;
  return curl_failed_init;
}
void curl_global_cleanup(void) {}
void* curl_easy_init(void) { return NULL; }
void curl_easy_cleanup(void* handle) { (void)handle; }
int curl_easy_setopt(void* handle, int option, ...) {
  (void)handle;
  (void)option;
  return curl_failed_init;
}
int curl_easy_perform(void* handle) {
  (void)handle;
  return curl_failed_init;
}
void* curl_slist_append(void* list, const char* text) {
  (void)list;
  (void)text;
  return NULL;
}
void curl_slist_free_all(void* list) { (void)list; }

const void* EVP_sha256(void) { return NULL; }
unsigned char* HMAC(const void* kind, const void* key, int key_bytes, const unsigned char* data, size_t bytes,
                    unsigned char* out, unsigned int* out_bytes) {
  (void)kind;
  (void)key;
  (void)key_bytes;
  (void)data;
  (void)bytes;
  (void)out;
  (void)out_bytes;
  return NULL;
}
unsigned char* SHA256(const unsigned char* data, size_t bytes, unsigned char* out) {
  (void)data;
  (void)bytes;
  (void)out;
  return NULL;
}
