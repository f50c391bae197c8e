"""What tools/sweep asks of the report: to look at the machine, and to make the page from what was measured."""
import argparse
import datetime
import json
import os
import sys

from . import files, machine, page, plot, rows, sections, summary


def draw_all(parts):
    """Drawings by name. Without gnuplot there are none: the tables and sentences are still worth having."""
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


def store(folder, results, parts, drawings, html):
    """The page last: when it is there, so is what it was made from. Figures of an earlier report are not those of this one."""
    files.write(os.path.join(folder, 'results.json'), document(results))
    files.write(os.path.join(folder, 'results.csv'), page.everything(results).as_csv())
    figures = {name + '.csv': table.as_csv() for section in parts
               for name, table in zip(page.table_names(section), section.tables)}
    figures.update({name + '.png': drawing.png for name, drawing in drawings.items()})
    for name, content in figures.items():
        files.write(os.path.join(folder, 'figures', name), content)
    files.keep_only(os.path.join(folder, 'figures'), figures)
    files.write(os.path.join(folder, 'index.html'), html)


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
    """Status 1: a result was wrong. Status 2: it cannot be done, and nothing was written."""
    results = rows.merge([(path, rows.load(path)) for path in options.files])
    if not results.all:
        raise rows.Malformed('nothing was measured: there is no row in {}'.format(', '.join(options.files)))
    results.sweep['notes'] = results.sweep.get('notes', []) + options.note
    parts = sections.make_all(results)
    drawings = draw_all(parts)
    warnings = summary.warnings(results)
    store(options.folder, results, parts, drawings,
          page.page(results, parts, drawings, summary.tiles(results), warnings))
    show(parts, warnings)
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
    its.add_argument('--note', action='append', default=[], help='a warning for the reader')
    its.add_argument('files', nargs='+')
    its.set_defaults(run=make)
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
