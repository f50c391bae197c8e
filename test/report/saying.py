"""What the tests of the report's sentences share."""


def says(said, *parts):
    for part in parts:
        assert part in said, '{!r} is not in {!r}'.format(part, said)


def says_not(said, *parts):
    for part in parts:
        assert part not in said, '{!r} is in {!r}'.format(part, said)


def only(**of):
    """Rows that have these fields, each one of several values or the one."""
    return lambda fields: all(fields.get(name) in (value if isinstance(value, tuple) else (value,))
                              for name, value in of.items())
