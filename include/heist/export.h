/* heist/export.h: how a symbol is seen outside the library. The library is built with hidden visibility; only symbols
 * with HEIST_API leave it. */
#ifndef HEIST_EXPORT_H
#define HEIST_EXPORT_H

#define HEIST_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define HEIST_BEGIN_DECLS extern "C" {
#define HEIST_END_DECLS }
#else
#define HEIST_BEGIN_DECLS
#define HEIST_END_DECLS
#endif

#endif
