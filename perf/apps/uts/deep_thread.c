/* One thread, one call at a time; all fields are under the mutex. */
#include "apps/uts/deep_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct deep_thread {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    void (*function)(void *); /* NULL: nothing to do */
    void *argument;
    bool ends;
};

static void *serve(void *argument)
{
    struct deep_thread *t = argument;
    pthread_mutex_lock(&t->mutex);
    for (;;) {
        while (!t->function && !t->ends) pthread_cond_wait(&t->changed, &t->mutex);
        if (!t->function) break;
        pthread_mutex_unlock(&t->mutex);
        t->function(t->argument); /* the caller changes neither until it is notified */
        pthread_mutex_lock(&t->mutex);
        t->function = NULL;
        pthread_cond_broadcast(&t->changed);
    }
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

int deep_thread_new(struct deep_thread **thread, size_t stack)
{
    struct deep_thread *t = calloc(1, sizeof *t);
    if (!t) return -ENOMEM;
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->changed, NULL);
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (!error) {
        error = pthread_attr_setstacksize(&attributes, stack);
        if (!error) error = pthread_create(&t->thread, &attributes, serve, t);
        pthread_attr_destroy(&attributes);
    }
    if (error) {
        pthread_cond_destroy(&t->changed);
        pthread_mutex_destroy(&t->mutex);
        free(t);
        return -error;
    }
    *thread = t;
    return 0;
}

void deep_thread_call(struct deep_thread *t, void (*function)(void *), void *argument)
{
    pthread_mutex_lock(&t->mutex);
    t->argument = argument;
    t->function = function;
    pthread_cond_broadcast(&t->changed);
    while (t->function) pthread_cond_wait(&t->changed, &t->mutex);
    pthread_mutex_unlock(&t->mutex);
}

void deep_thread_free(struct deep_thread *t)
{
    if (!t) return;
    pthread_mutex_lock(&t->mutex);
    t->ends = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
    pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->mutex);
    free(t);
}
