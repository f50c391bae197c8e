/* The sum over a binary tree, with OpenMP tasks: see tree.c.
 * Prints: 523776 */
#include <stdio.h>

struct node {
    long value;
    const struct node *left, *right;
};

static long sum(const struct node *n)
{
    if (!n) return 0;
    long left;
#pragma omp task shared(left)
    left = sum(n->left);
    long right = sum(n->right);
#pragma omp taskwait
    return n->value + left + right;
}

int main(void)
{
    static struct node nodes[1024];
    for (int i = 1; i < 1024; i++) {
        nodes[i].value = i;
        if (2 * i < 1024) nodes[i].left = &nodes[2 * i];
        if (2 * i + 1 < 1024) nodes[i].right = &nodes[2 * i + 1];
    }
    long total;
#pragma omp parallel
#pragma omp single
    total = sum(&nodes[1]);
    printf("%ld\n", total);
    return 0;
}
