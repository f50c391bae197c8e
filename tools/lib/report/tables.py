"""A table, and its three forms: text for the terminal, CSV for programs, HTML for the page."""
import collections
import csv
import html
import io

Column = collections.namedtuple('Column', 'title key form')  # form: from a value to text, or str


def plain(value):
    return str(value)


class Table:
    """Columns, and one dict a row. A key that a row lacks, or None, is an empty cell. `strong` marks rows of heist."""

    def __init__(self, title, columns, rows):
        self.title, self.rows = title, rows
        self.columns = [column for column in columns if any(row.get(column.key) is not None for row in rows)]

    def cells(self, row):
        return ['' if row.get(column.key) is None else column.form(row[column.key]) for column in self.columns]

    def numeric(self, column):
        """Numbers are aligned to the right."""
        return all(isinstance(row.get(column.key), (int, float, type(None))) for row in self.rows)

    def as_text(self):
        lines = [[column.title for column in self.columns]] + [self.cells(row) for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        right = [self.numeric(column) for column in self.columns]
        shown = ['  '.join(cell.rjust(width) if to_right else cell.ljust(width)
                           for cell, width, to_right in zip(line, widths, right)).rstrip() for line in lines]
        shown.insert(1, '-' * (sum(widths) + 2 * (len(widths) - 1)))
        return '\n'.join(shown) + '\n'

    def as_csv(self):
        out = io.StringIO()
        writer = csv.writer(out, lineterminator='\n')
        writer.writerow([column.key for column in self.columns])
        writer.writerows([['' if row.get(column.key) is None else row[column.key] for column in self.columns]
                          for row in self.rows])
        return out.getvalue()

    def html_cell(self, row, column, shown):
        """A number has its value beside its text: the script of the page sorts by it."""
        value = row.get(column.key)
        if not self.numeric(column):
            return '<td>{}</td>'.format(html.escape(shown))
        return '<td class="n"{}>{}</td>'.format('' if value is None else ' data-v="{!r}"'.format(value),
                                                html.escape(shown))

    def as_html(self):
        kinds = [' class="n"' if self.numeric(column) else '' for column in self.columns]
        head = ''.join('<th scope="col"{}>{}</th>'.format(kind, html.escape(column.title))
                       for kind, column in zip(kinds, self.columns))
        body = ''.join('<tr{}>{}</tr>\n'.format(
            ' class="ours"' if row.get('runtime') == 'heist' else '',
            ''.join(self.html_cell(row, column, cell) for column, cell in zip(self.columns, self.cells(row))))
            for row in self.rows)
        return ('<div class="scroll" tabindex="0" role="region" aria-label="{0}"><table><caption>{0}</caption>'
                '<thead><tr>{1}</tr></thead>\n<tbody>\n{2}</tbody></table></div>\n').format(
                    html.escape(self.title), head, body)
