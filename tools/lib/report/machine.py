"""The machine of the measurements. heist-perf reports the processor, the kernel and the compiler; look() adds the
usable CPUs and their topology, the limits on them, and the load.

look() returns plain data, which is stored beside the measurements; the other functions only read that.
"""
import glob
import os
import re
import subprocess

CPUS = '/sys/devices/system/cpu'


def read(path, fallback=''):
    try:
        with open(path, encoding='utf-8', errors='replace') as source:
            return source.read().strip()
    except OSError:
        return fallback


def number(path, fallback):
    found = read(path)
    return int(found) if re.fullmatch(r'-?\d+', found) else fallback


def lines_of(*command):
    """The output of a program; nothing if the program cannot be run."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20,
                              env=dict(os.environ, LC_ALL='C'))
        return done.stdout.decode(errors='replace').splitlines()
    except (OSError, subprocess.SubprocessError):
        return []


def cpu_list(text):
    """0-3,8 as [0, 1, 2, 3, 8]."""
    cpus = []
    for part in filter(None, text.split(',')):
        first, _, last = part.partition('-')
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def model():
    """The name of the processor; on ARM only lscpu knows it."""
    found = [line for line in lines_of('lscpu') if line.startswith('Model name:')]
    return found[0].split(':', 1)[1].strip() if found else None


def system():
    found = re.search(r'^PRETTY_NAME="?([^"\n]*)', read('/etc/os-release'), re.MULTILINE)
    return found.group(1) if found else 'Linux'


def quota():
    """The CPUs that the control group allows, as a number that may have a fraction; None without a limit."""
    allowed = read('/sys/fs/cgroup/cpu.max').split()
    if len(allowed) == 2 and allowed[0].isdigit() and int(allowed[1]):
        return int(allowed[0]) / int(allowed[1])
    return None


def caches(cpu):
    """The caches of one CPU, nearest first, with the CPUs that share each."""
    found = []
    for index in sorted(glob.glob('{}/cpu{}/cache/index*'.format(CPUS, cpu))):
        if read(index + '/type') != 'Instruction' and read(index + '/level').isdigit():
            found.append({'level': int(read(index + '/level')), 'size': read(index + '/size'),
                          'cpus': cpu_list(read(index + '/shared_cpu_list'))})
    return found


def cpus():
    """The CPUs that may be used, each with its package, core, NUMA node and caches."""
    nodes = {cpu: int(re.search(r'\d+$', node).group()) for node in glob.glob('/sys/devices/system/node/node[0-9]*')
             for cpu in cpu_list(read(node + '/cpulist'))}
    found = []
    for cpu in sorted(os.sched_getaffinity(0)):
        at = '{}/cpu{}/topology/'.format(CPUS, cpu)
        found.append({'cpu': cpu, 'package': number(at + 'physical_package_id', 0), 'core': number(at + 'core_id', cpu),
                      'node': nodes.get(cpu, 0), 'caches': caches(cpu)})
    return found


def look():
    return {'model': model(), 'system': system(), 'cpus': cpus(), 'quota': quota(), 'load': os.getloadavg()[0],
            'virtual': bool(re.search(r'^flags\s*:.*\bhypervisor\b', read('/proc/cpuinfo'), re.MULTILINE)),
            'governor': read(CPUS + '/cpu0/cpufreq/scaling_governor') or None}


# --- what is read from it ---------------------------------------------------------------------------------------------

def cores(about):
    """The number of workers that can run side by side: cores, not hardware threads, and no more than a quota allows."""
    usable = len({(cpu['package'], cpu['core']) for cpu in about.get('cpus') or []}) or about.get('cores') or 1
    limits = [int(limit) for limit in (about.get('quota'), about.get('workers')) if limit]
    return max(1, min([usable] + limits))


def busy(about):
    """True if other programs were running when the sweep began."""
    return (about.get('load') or 0) > 0.5


def in_short(about):
    """One line: the facts that a reader needs first."""
    count = cores(about)
    return '{} {} of {}{}'.format(count, 'core' if count == 1 else 'cores', about.get('model') or about.get('cpu') or
                                  'an unknown processor', ', virtual' if about.get('virtual') else '')


def cache_size(text):
    """512K as 512 KiB, 32768K as 32 MiB."""
    found = re.fullmatch(r'(\d+)K', text or '')
    if not found:
        return text
    kib = int(found.group(1))
    return '{} MiB'.format(kib // 1024) if kib >= 1024 and kib % 1024 == 0 else '{} KiB'.format(kib)
