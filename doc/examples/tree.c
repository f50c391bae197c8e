/* The sum over a binary tree: tree_openmp.c on heist.
 * Prints: 523776 */
#include <heist/heist.h>
#include <stdio.h>

struct node {
    long value;
    const struct node *left, *right;
};

HEIST_TASK(long, sum, const struct node *, n)
{
    if (!n) return 0;
    HEIST_SPAWN(left, sum, n->left);
    long right = HEIST_CALL(sum, n->right);
    return n->value + HEIST_SYNC(left) + right;
}

int main(void)
{
    static struct node nodes[1024];
    for (int i = 1; i < 1024; i++) {
        nodes[i].value = i;
        if (2 * i < 1024) nodes[i].left = &nodes[2 * i];
        if (2 * i + 1 < 1024) nodes[i].right = &nodes[2 * i + 1];
    }
    long total = HEIST_RUN(NULL, sum, &nodes[1]);
    printf("%ld\n", total);
    return 0;
}
