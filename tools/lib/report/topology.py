"""A drawing of the machine in nested boxes: NUMA nodes, shared caches, cores."""
import html

from . import machine

MOST = 64  # cores that are drawn one by one


def grouped(cpus, key):
    groups = {}
    for cpu in cpus:
        groups.setdefault(key(cpu), []).append(cpu)
    return [groups[name] for name in sorted(groups)]


def cache(cpu, level):
    return next((c for c in cpu['caches'] if c['level'] == level), None)


def box(kind, title, inside):
    return '<div class="box {}"><span>{}</span>{}</div>'.format(
        kind, html.escape(title), '<div class="boxes">{}</div>'.format(inside) if inside else '')


def core(cpus):
    """One core: its threads and its own caches."""
    own = [c for c in cpus[0]['caches'] if len(c['cpus']) <= len(cpus)]
    threads = ' + '.join(str(cpu['cpu']) for cpu in cpus)
    lines = ['core {}'.format(threads)] + ['L{} {}'.format(c['level'], machine.cache_size(c['size'])) for c in own]
    return '<div class="box core">{}</div>'.format('<br/>'.join(html.escape(line) for line in lines))


def cores(cpus):
    return grouped(cpus, lambda cpu: (cpu['package'], cpu['core']))


def shared(cpus):
    """The cores below a cache that several of them share."""
    last = max((c['level'] for cpu in cpus for c in cpu['caches']), default=0)
    big = cache(cpus[0], last) if last else None
    if not big or len(big['cpus']) == len(cores(cpus)[0]):
        return ''.join(core(its) for its in cores(cpus))
    drawn = ''
    for its in grouped(cpus, lambda cpu: min((cache(cpu, last) or {'cpus': [cpu['cpu']]})['cpus'])):
        title = 'L{} {}'.format(last, machine.cache_size(cache(its[0], last)['size'])) if cache(its[0], last) else ''
        drawn += box('cache', title, ''.join(core(each) for each in cores(its)))
    return drawn


def draw(about):
    """The boxes; nothing if the CPUs are not known or too many to draw."""
    cpus = about.get('cpus') or []
    if not cpus or len(cores(cpus)) > MOST:
        return ''
    inside = ''.join(box('node', 'package {}, NUMA node {}'.format(its[0]['package'], its[0]['node']), shared(its))
                     for its in grouped(cpus, lambda cpu: (cpu['package'], cpu['node'])))
    return '<div class="machine" role="img" aria-label="{}">{}</div>'.format(html.escape(machine.in_short(about)),
                                                                             inside)
