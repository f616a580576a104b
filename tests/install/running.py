"""What the tests of installations share."""

import subprocess


def run(*command, **options):
    """The command's output; a failure of the test, with all it said, where it fails."""
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                            check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command} failed:\n{result.stdout}{result.stderr}")
    return result.stdout
