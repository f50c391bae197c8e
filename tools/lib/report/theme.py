"""Colours, marks and names, with one meaning in all figures.

Each runtime has one colour everywhere, chosen so that neighbours differ in lightness too, and a mark and a dash of its
own, so that no figure depends on colour alone. A figure is drawn once, in the light colours; in the page variables
replace them (css_variables), which the dark scheme sets anew. So no two roles may share a light colour.
"""
import collections

Style = collections.namedtuple('Style', 'name light dark point dash')

RUNTIMES = {
    'heist': Style('heist', '#c2410c', '#ff8f50', 7, 1),
    'serial': Style('serial', '#6b7280', '#a3aab6', 2, 3),
    'openmp': Style('OpenMP (libgomp)', '#0b5394', '#6db1f2', 5, 1),
    'libomp': Style('OpenMP (libomp)', '#3d9bdc', '#a9dbff', 4, 2),
    'tbb': Style('oneTBB', '#00795a', '#3fcf9f', 9, 1),
    'openblas': Style('OpenBLAS', '#9d3c78', '#e993c5', 13, 1),
    'blis': Style('BLIS', '#8f7200', '#e3c04b', 11, 1),
}
STRANGERS = [Style(None, '#5b4bb0', '#b3a7f5', 15, 4), Style(None, '#7a3b1d', '#d9a78c', 6, 4),
             Style(None, '#3f5d2a', '#a9cf8c', 8, 4), Style(None, '#44545c', '#b7c7cf', 10, 4)]

ROLES = {  # what is not a runtime: light, dark
    'ink': ('#1d2430', '#e8eaee'),
    'muted': ('#5a6372', '#a8b0bd'),
    'axis': ('#8b93a1', '#77808f'),
    'grid': ('#e3e6eb', '#2c333f'),
    'shade': ('#f1f2f5', '#232934'),
    'other': ('#b2b9c5', '#667184'),
    'goal': ('#1e2531', '#e9ebef'),
}


def style(runtime):
    """The style of a runtime, also of an unknown one."""
    if runtime in RUNTIMES:
        return RUNTIMES[runtime]
    return STRANGERS[sum(runtime.encode()) % len(STRANGERS)]._replace(name=runtime)


def name(runtime):
    return style(runtime).name


def ordered(runtimes):
    """heist first, then the order above, then unknown runtimes by name."""
    known = list(RUNTIMES)
    return sorted(set(runtimes), key=lambda r: (known.index(r) if r in known else len(known), r))


def colours():
    """Every light colour with the name of its CSS variable and its dark counterpart."""
    for runtime, its in RUNTIMES.items():
        yield its.light, 'c-' + runtime, its.dark
    for number, its in enumerate(STRANGERS):
        yield its.light, 'c-stranger{}'.format(number), its.dark
    for role, (light, dark) in ROLES.items():
        yield light, 'f-' + role, dark


def colour(role):
    return ROLES[role][0]


def css_variables():
    """The rules that give the variables their values, in light and dark."""
    light = ''.join('--{}:{};'.format(variable, value) for value, variable, _ in colours())
    dark = ''.join('--{}:{};'.format(variable, value) for _, variable, value in colours())
    return ':root{{{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n'.format(light, dark)
