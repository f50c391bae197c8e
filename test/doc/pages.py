"""pages.py SOURCE_DIR: the documents agree with the tree.

A C block in README.md, doc/guide.md or doc/from-openmp.md stands below a line `<!-- example: FILE -->` and is a run of
whole lines of doc/examples/FILE. Links lead to files and headings that exist. Reports as Unity does.
"""
import os
import re
import sys

TREE = os.path.abspath(sys.argv[1])
SHOWING = ['README.md', 'doc/guide.md', 'doc/from-openmp.md']
MARK = re.compile(r'<!-- example: (\w+\.c) -->')


def read(name):
    with open(os.path.join(TREE, name), encoding='utf-8') as source:
        return source.read()


def documents():
    """The pages of the tree that users and developers read."""
    found = [name for name in os.listdir(TREE) if name.endswith('.md')]
    for top in ('doc', 'lib', 'test'):
        for directory, _, names in os.walk(os.path.join(TREE, top)):
            found += [os.path.relpath(os.path.join(directory, name), TREE) for name in names if name.endswith('.md')]
    return sorted(found)


def blocks(text):
    """(line number, example or None, code) of each C block."""
    lines, example, number = text.splitlines(), None, 0
    while number < len(lines):
        mark = MARK.fullmatch(lines[number])
        if mark:
            example = mark.group(1)
        elif lines[number] == '```c':
            end = lines.index('```', number)
            yield number + 1, example, '\n'.join(lines[number + 1:end])
            number, example = end, None
        elif lines[number].strip():
            example = None
        number += 1


def code_is_that_of_the_examples():
    wrong = []
    for name in SHOWING:
        for line, example, code in blocks(read(name)):
            where = '{}:{}'.format(name, line)
            if not example:
                wrong.append(where + ': no line <!-- example: FILE --> above it')
            elif '\n' + code + '\n' not in '\n' + read('doc/examples/' + example) + '\n':
                wrong.append('{}: not in doc/examples/{}'.format(where, example))
    return wrong


def every_example_is_shown():
    shown = {example for name in SHOWING for _, example, _ in blocks(read(name))}
    return [name for name in sorted(os.listdir(os.path.join(TREE, 'doc/examples')))
            if name.endswith('.c') and name not in shown]


def anchors(text):
    """What GitHub makes of headings."""
    without_code = re.sub(r'^```.*?^```', '', text, flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')
            for heading in re.findall(r'^#+ (.*)', without_code, re.MULTILINE)}


def links_lead_somewhere():
    wrong = []
    for name in documents():
        text = read(name)
        for target in re.findall(r'\]\(([^)\s]+)\)', re.sub(r'```.*?```|`[^`\n]*`', '', text, flags=re.DOTALL)):
            if re.match(r'[a-z]+:', target):
                continue
            path, _, anchor = target.partition('#')
            there = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if not os.path.exists(os.path.join(TREE, there)):
                wrong.append('{}: {}'.format(name, target))
            elif anchor and there.endswith('.md') and anchor not in anchors(read(there)):
                wrong.append('{}: no heading {}'.format(name, target))
    return wrong


def the_readme_is_a_door():
    words = len(read('README.md').split())
    return [] if words <= 1400 else ['{} words'.format(words)]


def the_readme_leads_to_every_page():
    readme = read('README.md')
    return [name for name in documents() if name.startswith('doc/') and name not in readme and name != 'doc/edges.md']


def the_version_has_a_date():
    version = re.search(r"version: '([\d.]+)'", read('meson.build')).group(1)
    heading = r'^## {} \(\d{{4}}-\d\d-\d\d\)$'.format(re.escape(version))
    if re.search(heading, read('CHANGELOG.md'), re.MULTILINE):
        return []
    return ['CHANGELOG.md has no heading "## {} (YYYY-MM-DD)"'.format(version)]


def main():
    cases = [code_is_that_of_the_examples, every_example_is_shown, links_lead_somewhere, the_readme_is_a_door,
             the_readme_leads_to_every_page, the_version_has_a_date]
    failures = 0
    for case in cases:
        wrong = case()
        failures += bool(wrong)
        print('pages:{}:{}'.format(case.__name__, 'FAIL' if wrong else 'PASS'))
        for line in wrong:
            print('   ' + line)
    print('\n-----------------------\n{} Tests {} Failures 0 Ignored'.format(len(cases), failures))
    return 1 if failures else 0


sys.exit(main())
