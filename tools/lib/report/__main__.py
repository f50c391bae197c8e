"""The commands of tools/sweep: look at the machine, make the page from the measurements, compare two reports."""
import argparse
import datetime
import json
import os
import sys

from . import compare, files, goals, machine, page, plot, rows, sections, summary
from .goals import summary as goals_summary


INDEX, GOALS = 'index.html', 'goals.html'


def draw_all(parts):
    """Drawings by name. Without gnuplot there are none; the page then has tables and sentences only."""
    drawings = {}
    for section in parts:
        if section.figure:
            try:
                drawings[section.figure.name] = plot.draw(section.figure)
            except plot.CannotPlot as problem:
                print('report: no figure {}: {}'.format(section.figure.name, problem), file=sys.stderr)
    return drawings


def document(results):
    """Everything in one JSON file, from which the page can be made again."""
    return json.dumps({'machine': results.machine, 'sweep': results.sweep, 'rows': [row.fields for row in results.all]},
                      indent=1, ensure_ascii=False) + '\n'


def store(folder, results, parts, drawings, pages):
    """Writes the pages last: a page that exists has all its other files. Removes the figures and the page of goals of
    an earlier report."""
    files.write(os.path.join(folder, 'results.json'), document(results))
    files.write(os.path.join(folder, 'results.csv'), page.everything(results).as_csv())
    figures = {prefix + name + '.csv': table.as_csv() for prefix, its in parts.items() for section in its
               for name, table in zip(page.table_names(section), section.tables)}
    figures.update({name + '.png': drawing.png for name, drawing in drawings.items()})
    for name, content in figures.items():
        files.write(os.path.join(folder, 'figures', name), content)
    files.keep_only(os.path.join(folder, 'figures'), figures)
    for name in (GOALS, INDEX):
        if name in pages:
            files.write(os.path.join(folder, name), pages[name])
        elif os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name))


def show(parts, warnings):
    """The same for a terminal."""
    for section in parts:
        print('\n== {} =='.format(section.title))
        for table in section.tables:
            print('\n{}\n{}'.format(table.title, table.as_text()), end='')
        print('\n' + '\n'.join(section.sentences))
    if warnings:
        print('\n== Mind ==\n\n' + '\n'.join(warnings))


def make(options):
    """Status 1: a result was wrong. Status 2: failure, and nothing was written."""
    results = rows.merge([(path, rows.load(path)) for path in options.files])
    if not results.all:
        raise rows.Malformed('nothing was measured: there is no row in {}'.format(', '.join(options.files)))
    results.sweep['notes'] = results.sweep.get('notes', []) + options.note
    parts = {'': sections.make_all(results), 'goals-': goals.make_all(results) if options.goals else []}
    drawings = draw_all(parts[''] + parts['goals-'])
    warnings = summary.warnings(results)
    pages = {INDEX: page.page(results, parts[''], drawings, summary.tiles(results), warnings)}
    if options.goals:
        pages[GOALS] = page.page(results, parts['goals-'], drawings, goals_summary.tiles(results), warnings,
                                 page.GOALS_TITLE)
    store(options.folder, results, parts, drawings, pages)
    show(parts[''] + [part for part in parts['goals-'] if part.id != 'noise'], warnings)
    return 1 if results.wrong else 0


def look(options):
    sweep = {'kind': options.kind, 'revision': options.revision,
             'date': datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%d %H:%M UTC')}
    print(json.dumps({'machine': machine.look(), 'sweep': sweep, 'rows': []}))
    return 0


def cores(options):
    print(machine.cores(rows.load(options.file)['machine']))
    return 0


def command_line():
    parser = argparse.ArgumentParser(prog='report', description=__doc__)
    commands = parser.add_subparsers(dest='command', required=True)
    its = commands.add_parser('look', help='print what this machine is, as JSON')
    its.add_argument('--kind', help='what the page calls the sweep')
    its.add_argument('--revision', help='of the source')
    its.set_defaults(run=look)
    its = commands.add_parser('cores', help='print how many workers can run side by side, from what look printed')
    its.add_argument('file')
    its.set_defaults(run=cores)
    its = commands.add_parser('make', help='make the page from files of heist-perf and of look')
    its.add_argument('folder')
    its.add_argument('--goals', action='store_true', help='make goals.html, too: the goals of the project')
    its.add_argument('--note', action='append', default=[], help='a warning for the reader')
    its.add_argument('files', nargs='+')
    its.set_defaults(run=make)
    its = commands.add_parser('compare', help='print what became faster and what slower from one report to another')
    its.add_argument('before', help='a folder with a report, or its results.json')
    its.add_argument('after')
    its.set_defaults(run=compare.run)
    return parser


def main():
    options = command_line().parse_args()
    try:
        return options.run(options)
    except (rows.Malformed, OSError) as problem:
        print('report: {}'.format(problem), file=sys.stderr)
        return 2


if __name__ == '__main__':
    sys.exit(main())
