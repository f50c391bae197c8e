"""Files that appear whole or not at all."""
import os
import tempfile


def write(path, content):
    """Writes text or bytes to a temporary file and renames it: a reader never sees half a file, even after an
    interrupt."""
    data = content.encode() if isinstance(content, str) else content
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=folder, prefix='.' + os.path.basename(path) + '.')
    try:
        with os.fdopen(handle, 'wb') as out:
            out.write(data)
        os.chmod(part, 0o666 & ~current_umask())
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def keep_only(folder, names):
    """Removes the figures and tables that are not among these."""
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if name.endswith(('.csv', '.png')) and name not in names:
            os.unlink(os.path.join(folder, name))


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
